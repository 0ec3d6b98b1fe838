package dev.sluice.server;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.net.ssl.SSLSession;

/** A response that came over a socket, as one of the JDK's client. */
record ParsedResponse(int statusCode, String text) implements HttpResponse<String> {
    @Override
    public String body() {
        return text.substring(text.indexOf("\r\n\r\n") + 4);
    }

    @Override
    public HttpHeaders headers() {
        Map<String, List<String>> fields = new TreeMap<>();
        text.substring(0, text.indexOf("\r\n\r\n")).lines().skip(1).forEach(line -> {
            int colon = line.indexOf(':');
            fields.put(
                    line.substring(0, colon), List.of(line.substring(colon + 1).strip()));
        });
        return HttpHeaders.of(fields, (name, value) -> true);
    }

    @Override
    public HttpRequest request() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<HttpResponse<String>> previousResponse() {
        return Optional.empty();
    }

    @Override
    public Optional<SSLSession> sslSession() {
        return Optional.empty();
    }

    @Override
    public URI uri() {
        throw new UnsupportedOperationException();
    }

    @Override
    public HttpClient.Version version() {
        return HttpClient.Version.HTTP_1_1;
    }
}
