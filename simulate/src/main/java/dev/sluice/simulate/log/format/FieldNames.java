package dev.sluice.simulate.log.format;

import dev.sluice.simulate.log.LogAttributes;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which fields of JSON objects and of tables are which attributes: what a person says, or else the names that the loggers
 * of nginx, Caddy, Traefik, Envoy, HAProxy and the clouds use. The first of several names wins.
 */
final class FieldNames {
    /** A request that a server recorded has its attributes in an object of this name, which says exactly what they are. */
    private static final String RECORDED = "attributes.";

    private static final Map<String, List<String>> GUESSES = guesses();

    private FieldNames() {}

    private static Map<String, List<String>> guesses() {
        Map<String, List<String>> names = new LinkedHashMap<>();
        names.put(
                LogAttributes.TIME,
                words("time timestamp @timestamp ts time_iso8601 time_local msec datetime date start_time startutc"));
        names.put(
                LogAttributes.IP,
                words("ip client_ip clientip client remote_addr remote_ip request.client_ip request.remote_ip"
                        + " clienthost client_addr c_ip c-ip source_ip src_ip remote_host httprequest.remoteip addr"
                        + " downstream_remote_address_without_port"));
        names.put(LogAttributes.USER, words("user user_id username remote_user clientusername userid cs-username"));
        names.put(
                LogAttributes.METHOD,
                words("method request_method http_method verb request.method requestmethod cs-method"
                        + " httprequest.requestmethod"));
        names.put(
                LogAttributes.HOST,
                words("host http_host server_name request.host requesthost vhost authority domain cs-host"));
        names.put(
                LogAttributes.PATH,
                words("path uri request_uri url request.uri requestpath target cs-uri-stem"
                        + " httprequest.requesturl"));
        names.put("request", words("request requestline request_line"));
        names.put(
                LogAttributes.STATUS,
                words("status status_code response_code code http_status downstreamstatus sc-status"
                        + " httprequest.status"));
        names.put(
                LogAttributes.BYTES,
                words("bytes size bytes_sent body_bytes_sent response_size downstreamcontentsize sc-bytes"));
        names.put(LogAttributes.REFERER, words("referer referrer http_referer request.headers.referer"));
        names.put(
                LogAttributes.AGENT,
                words("user_agent useragent agent http_user_agent user-agent request.headers.user-agent"));
        return names;
    }

    private static List<String> words(String text) {
        return List.of(text.split(" "));
    }

    /**
     * The column of each field.
     *
     * @param map names of fields by names of attributes, as a person gave them
     * @param fields the names of the fields that there are
     */
    static Map<String, Column> columns(Map<String, String> map, Collection<String> fields) {
        Map<String, Column> columns = new LinkedHashMap<>();
        for (String field : fields) {
            String name = field.toLowerCase(Locale.ROOT);
            columns.put(
                    field,
                    name.startsWith(RECORDED) ? Column.value(name.substring(RECORDED.length())) : Column.text(name));
        }
        if (fields.stream().anyMatch(field -> field.startsWith(RECORDED))) {
            columns.putIfAbsent(
                    LogAttributes.COST, Column.text(LogAttributes.COST)); // seldom, and perhaps not at the start
        }
        GUESSES.forEach((attribute, names) -> {
            String found = map.containsKey(attribute) ? null : first(names, fields);
            if (found != null) {
                columns.put(found, column(attribute, found));
            }
        });
        durations(map, columns);
        map.forEach((attribute, field) -> columns.put(field, column(attribute, field)));
        return columns;
    }

    /** The unit of a duration follows from the name of its field, as loggers use it. */
    private static void durations(Map<String, String> map, Map<String, Column> columns) {
        if (map.containsKey(LogAttributes.DURATION)) {
            return;
        }
        for (String field : List.copyOf(columns.keySet())) {
            Column.@Nullable Kind unit = switch (field.toLowerCase(Locale.ROOT)) {
                case "duration", "request_time", "elapsed", "time-taken" -> Column.Kind.SECONDS;
                case "duration_ms", "latency_ms", "elapsed_ms", "response_time_ms" -> Column.Kind.MILLIS;
                case "duration_us", "latency_us" -> Column.Kind.MICROS;
                default -> null;
            };
            if (unit != null) {
                columns.put(field, Column.duration(unit));
                return;
            }
        }
    }

    private static Column column(String attribute, String field) {
        if (field.startsWith(RECORDED)) {
            return Column.value(attribute);
        }
        boolean millis = attribute.equals(LogAttributes.DURATION) && field.endsWith("ms");
        return millis ? Column.duration(Column.Kind.MILLIS) : Column.named(attribute);
    }

    private static @Nullable String first(List<String> names, Collection<String> fields) {
        for (String name : names) {
            for (String field : fields) {
                if (field.toLowerCase(Locale.ROOT).equals(name)) {
                    return field;
                }
            }
        }
        return null;
    }
}
