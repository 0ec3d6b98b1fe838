package dev.sluice.server.trace;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns traces on by the variables that OpenTelemetry has for that. Without them, no class of OpenTelemetry is loaded:
 * the class that needs them is {@link OpenTelemetryTracer}.
 */
public final class Tracing {
    private static final String PREFIX = "OTEL_";
    private static final String HTTP = "http/protobuf";

    private Tracing() {}

    /**
     * A tracer if {@code OTEL_TRACES_EXPORTER} is {@code otlp}, or there is an endpoint for OTLP and that variable is not
     * set; null otherwise, and if {@code OTEL_SDK_DISABLED} is {@code true}.
     *
     * @param environment the environment variables
     * @throws IllegalArgumentException if they ask for something that is not here; the message names the variable
     */
    public static @Nullable CheckTracer of(Map<String, String> environment) {
        if (!isWanted(environment)) {
            return null;
        }
        for (String name : new String[] {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"}) {
            String protocol = environment.getOrDefault(name, "");
            if (!protocol.isBlank() && !protocol.strip().equals(HTTP)) {
                throw new IllegalArgumentException(name + " must be " + HTTP + ", was '" + protocol + "'");
            }
        }
        try {
            return OpenTelemetryTracer.start(properties(environment));
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "traces cannot be sent with these OTEL_… variables: " + e.getMessage(), e);
        }
    }

    private static boolean isWanted(Map<String, String> environment) {
        if (environment.getOrDefault("OTEL_SDK_DISABLED", "").strip().equalsIgnoreCase("true")) {
            return false;
        }
        String exporter = environment.getOrDefault("OTEL_TRACES_EXPORTER", "").strip();
        if (exporter.isEmpty()) {
            return isSet(environment, "OTEL_EXPORTER_OTLP_ENDPOINT")
                    || isSet(environment, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        }
        if (!exporter.equals("otlp") && !exporter.equals("none")) {
            throw new IllegalArgumentException("OTEL_TRACES_EXPORTER must be otlp or none, was '" + exporter + "'");
        }
        return exporter.equals("otlp");
    }

    private static boolean isSet(Map<String, String> environment, String name) {
        return !environment.getOrDefault(name, "").isBlank();
    }

    /** The variables under the names that they have as properties: {@code otel.service.name} and so on. */
    private static Map<String, String> properties(Map<String, String> environment) {
        Map<String, String> properties = new HashMap<>();
        environment.forEach((name, value) -> {
            if (name.startsWith(PREFIX) && !value.isBlank()) {
                properties.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value);
            }
        });
        return properties;
    }
}
