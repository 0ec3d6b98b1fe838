package dev.sluice.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.util.List;

/** Loads Envoy's messages, which takes longer than an Envoy waits for its first answer. */
final class WarmUp {
    private WarmUp() {}

    static void run() {
        try {
            RateLimitRequest read = RateLimitRequest.parseFrom(RateLimitRequest.newBuilder()
                    .setDomain("warm-up")
                    .addDescriptors(RateLimitDescriptor.newBuilder()
                            .addEntries(RateLimitDescriptor.Entry.newBuilder().setKey("key")))
                    .build()
                    .toByteArray());
            RateLimitJson.print(Answer.of(read, List.of(Ruled.FREE)));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("Envoy's own message is not one", e);
        }
    }
}
