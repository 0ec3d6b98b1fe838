package dev.sluice.simulate.log.format;

import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.text.DidYouMean;
import java.util.List;
import java.util.Locale;

/** The variables of nginx, as columns. */
final class NginxVariables {
    private static final String HEADER = "http_";
    private static final List<String> PREFIXES =
            List.of("sent_http_", "upstream_http_", "arg_", "cookie_", "sent_trailer_", "geoip", "ssl_", "jwt_");
    private static final List<String> KNOWN = List.of(("remote_addr remote_user time_local time_iso8601 msec request"
                    + " request_uri uri document_uri request_method host http_host server_name status body_bytes_sent"
                    + " bytes_sent http_referer http_user_agent http_x_forwarded_for http_x_real_ip request_time"
                    + " args binary_remote_addr connection connection_requests connection_time content_length"
                    + " content_type document_root gzip_ratio hostname https http2 http3 is_args limit_rate"
                    + " limit_req_status limit_conn_status nginx_version pid pipe proxy_add_x_forwarded_for proxy_host"
                    + " proxy_port proxy_protocol_addr proxy_protocol_port query_string realip_remote_addr"
                    + " realip_remote_port realpath_root remote_port request_body request_completion"
                    + " request_filename request_id request_length scheme server_addr server_port server_protocol"
                    + " ssl_cipher ssl_protocol ssl_server_name tcpinfo_rtt upstream_addr upstream_bytes_received"
                    + " upstream_bytes_sent upstream_cache_status upstream_connect_time upstream_header_time"
                    + " upstream_response_length upstream_response_time upstream_status")
            .split(" "));

    private NginxVariables() {}

    /** {@code ; did you mean 'remote_addr'?} for a name that is nearly one of nginx's own; else an empty text. */
    static String hint(String name) {
        boolean own = KNOWN.contains(name) || PREFIXES.stream().anyMatch(name::startsWith);
        return own ? "" : DidYouMean.hint(name, KNOWN);
    }

    /** The column of a variable. One that nginx does not have is an attribute by its own name. */
    static Column column(String name) {
        return switch (name) {
            case "remote_addr" -> Column.text(LogAttributes.IP);
            case "remote_user" -> Column.text(LogAttributes.USER);
            case "time_local", "time_iso8601", "msec" -> Column.TIME;
            case "request" -> Column.REQUEST;
            case "request_uri", "uri", "document_uri" -> Column.PATH;
            case "request_method" -> Column.text(LogAttributes.METHOD);
            case "host", "http_host", "server_name" -> Column.text(LogAttributes.HOST);
            case "status" -> Column.STATUS;
            case "body_bytes_sent", "bytes_sent" -> Column.BYTES;
            case "request_time" -> Column.duration(Column.Kind.SECONDS);
            default ->
                Column.text(
                        name.startsWith(HEADER)
                                ? "header."
                                        + name.substring(HEADER.length())
                                                .replace('_', '-')
                                                .toLowerCase(Locale.ROOT)
                                : name.toLowerCase(Locale.ROOT));
        };
    }
}
