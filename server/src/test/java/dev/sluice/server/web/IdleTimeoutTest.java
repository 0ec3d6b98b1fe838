package dev.sluice.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.timeout.IdleStateEvent;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A timeout of 60 seconds, on a clock that stands still unless it is moved. */
class IdleTimeoutTest {
    private int events;
    private final EmbeddedChannel connection =
            new EmbeddedChannel(new IdleTimeout(Duration.ofSeconds(60)), new ChannelInboundHandlerAdapter() {
                @Override
                public void userEventTriggered(ChannelHandlerContext context, Object event) {
                    events += event == IdleStateEvent.ALL_IDLE_STATE_EVENT ? 1 : 0;
                }
            });

    @BeforeEach
    void freeze() {
        connection.freezeTime();
    }

    @AfterEach
    void close() {
        connection.finishAndReleaseAll();
    }

    private void pass(int seconds) {
        connection.advanceTimeBy(seconds, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
    }

    @Test
    void idleAfterTheTimeAndNotBefore() {
        pass(59);
        assertThat(events).isZero();
        pass(17);
        assertThat(events).isOne();
    }

    @Test
    void whatComesCounts() {
        for (int i = 0; i < 10; i++) {
            pass(40);
            connection.writeInbound(Unpooled.EMPTY_BUFFER);
        }
        assertThat(events).isZero();
        pass(76);
        assertThat(events).isOne();
    }

    @Test
    void whatIsSentCounts() {
        for (int i = 0; i < 10; i++) {
            pass(40);
            connection.writeOutbound(Unpooled.copyInt(i));
        }
        assertThat(events).isZero();
    }

    @Test
    void nothingTicksOnceItIsClosed() {
        connection.close();
        connection.runPendingTasks();
        assertThat(connection.runScheduledPendingTasks()).isEqualTo(-1);
    }
}
