package dev.sluice.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FlushCoalescerTest {
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger flushes = new AtomicInteger();
    private final EmbeddedChannel channel = new EmbeddedChannel(
            new ChannelOutboundHandlerAdapter() {
                @Override
                public void flush(ChannelHandlerContext context) {
                    flushes.incrementAndGet();
                    context.flush();
                }
            },
            new FlushCoalescer(inFlight));

    @Test
    void eachGoesOutAtOnceWhileFewAreUnderWay() {
        inFlight.set(63);
        ask(10);
        assertThat(flushes).hasValue(10);
    }

    @Test
    void manyGoOutTogetherAndNoneIsForgotten() {
        inFlight.set(64);
        ask(10);
        assertThat(flushes).hasValue(0);
        channel.runPendingTasks();
        assertThat(flushes).hasValue(1);
        ask(1);
        channel.runPendingTasks();
        assertThat(flushes).hasValue(2);
    }

    @Test
    void aLongRowDoesNotWaitForItsEnd() {
        inFlight.set(1000);
        ask(64);
        assertThat(flushes).hasValue(0);
        ask(1);
        assertThat(flushes).hasPositiveValue();
    }

    private void ask(int times) {
        for (int i = 0; i < times; i++) {
            channel.pipeline().flush();
        }
    }
}
