package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A table of requests and their answers. A line is the time in seconds, the descriptors, and the answer: the code of the
 * whole, then of each descriptor the code (when it is not the same), what remains of which limit, and the seconds until
 * reset; {@code -} where no limit applies.
 *
 * <pre>
 *   0   | a=1,b=2 x3 ; c=4   | OK: 2/5 MINUTE 60s, -
 *   1   | a=1,b=2 x4         | OVER_LIMIT: 0/5 MINUTE 59s
 * </pre>
 *
 * <p>{@code x3} is a {@code hits_addend} of 3 on the descriptor, {@code @7/HOUR} a limit of its own.
 */
public final class Trace {
    private static final Pattern DESCRIPTOR = Pattern.compile("(.*?)(?: x(\\d+))?(?: @(\\d+)/([A-Z]+))?");

    private Trace() {}

    /** Sends every line, and compares the whole table. */
    static void check(RlsServer server, Clock clock, String domain, String table) {
        assertThat(run(table, clock, request -> request.setDomain(domain), server))
                .isEqualTo(tidy(table));
    }

    private static String run(
            String table, Clock clock, UnaryOperator<RateLimitRequest.Builder> more, RlsServer server) {
        List<String> lines = new ArrayList<>();
        for (String line : table.strip().split("\n", -1)) {
            String[] cells = line.split("\\|", 3);
            clock.to(cells[0].strip());
            RateLimitRequest.Builder request = RateLimitRequest.newBuilder();
            for (String descriptor : cells[1].split(";", -1)) {
                request.addDescriptors(descriptor(descriptor.strip()));
            }
            String answer =
                    show(server.client().shouldRateLimit(more.apply(request).build()));
            lines.add(cells[0].strip() + " | " + cells[1].strip() + " | " + answer);
        }
        return String.join("\n", lines);
    }

    private static String tidy(String table) {
        return table.strip()
                .lines()
                .map(line -> Pattern.compile("\\|")
                        .splitAsStream(line)
                        .map(String::strip)
                        .collect(Collectors.joining(" | ")))
                .collect(Collectors.joining("\n"));
    }

    public static RateLimitDescriptor descriptor(String text) {
        Matcher parts = DESCRIPTOR.matcher(text);
        assertThat(parts.matches()).as(text).isTrue();
        RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
        for (String entry : parts.group(1).split(",", -1)) {
            String[] pair = entry.split("=", 2);
            descriptor.addEntriesBuilder().setKey(pair[0]).setValue(pair.length == 1 ? "" : pair[1]);
        }
        if (parts.group(2) != null) {
            descriptor.setHitsAddend(UInt64Value.of(Long.parseLong(parts.group(2))));
        }
        if (parts.group(3) != null) {
            descriptor
                    .getLimitBuilder()
                    .setRequestsPerUnit(Integer.parseUnsignedInt(parts.group(3)))
                    .setUnit(RateLimitUnit.valueOf(parts.group(4)));
        }
        return descriptor.build();
    }

    static String show(RateLimitResponse response) {
        return response.getOverallCode() + ": "
                + response.getStatusesList().stream()
                        .map(status -> show(status, response.getOverallCode()))
                        .collect(Collectors.joining(", "));
    }

    private static String show(DescriptorStatus status, RateLimitResponse.Code overall) {
        String code = status.getCode() == overall ? "" : status.getCode() + " ";
        String left = Integer.toUnsignedString(status.getLimitRemaining());
        if (!status.hasCurrentLimit()) {
            return code + (status.getLimitRemaining() == 0 ? "-" : left);
        }
        return code + left + "/"
                + Integer.toUnsignedString(status.getCurrentLimit().getRequestsPerUnit()) + " "
                + status.getCurrentLimit().getUnit() + " "
                + status.getDurationUntilReset().getSeconds() + "s";
    }
}
