package dev.sluice.spring;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** A whole application on a port of its own. Properties of a test come ahead of all others. */
public final class RunningApp implements AutoCloseable {
    private final ConfigurableApplicationContext context;
    private final HttpClient http = HttpClient.newHttpClient();
    private final int port;

    private RunningApp(ConfigurableApplicationContext context) {
        this.context = context;
        this.port = Integer.parseInt(
                Objects.requireNonNull(context.getEnvironment().getProperty("local.server.port", "0")));
    }

    /** On the server that is usual for the type. With Tomcat beside Netty, Boot 3 would take Tomcat for WebFlux. */
    public static RunningApp start(WebApplicationType type, List<Class<?>> classes, String... properties) {
        return start(
                type == WebApplicationType.REACTIVE ? WebServer.NETTY : WebServer.TOMCAT, type, classes, properties);
    }

    public static RunningApp start(
            WebServer server, WebApplicationType type, List<Class<?>> classes, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--spring.jmx.enabled=false"));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        return new RunningApp(new SpringApplicationBuilder(classes.toArray(Class<?>[]::new))
                .web(type)
                .initializers(context -> {
                    if (type != WebApplicationType.NONE) {
                        ((GenericApplicationContext) context)
                                .registerBean(server.factory(type).orElseThrow());
                    }
                })
                .run(arguments.toArray(String[]::new)));
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public String url(String path) {
        return "http://127.0.0.1:" + port + path;
    }

    public HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, headers);
    }

    /** Sends JSON. */
    public HttpResponse<String> post(String path, String json) {
        return send(HttpRequest.newBuilder(URI.create(url(path)))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    public HttpResponse<String> send(String method, String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url(path))).method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        request.timeout(Duration.ofSeconds(30));
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** The statuses of the same request, again and again. */
    public List<Integer> statuses(int times, String method, String path, String... headers) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(send(method, path, headers).statusCode());
        }
        return statuses;
    }

    @Override
    public void close() {
        context.close();
    }
}
