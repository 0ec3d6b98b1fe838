package dev.sluice.redis.client;

import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** An event loop of the application: clients connect on it, and it goes on when they are closed. */
final class ApplicationLoop implements Executor, EventLoopGroupProvider {
    private final EventLoop loop;

    ApplicationLoop(EventLoop loop) {
        this.loop = loop;
    }

    Thread thread() {
        return loop.submit(Thread::currentThread).syncUninterruptibly().getNow();
    }

    /** Runs a task in the next turn. Tasks that an event loop gets while it runs others still belong to the same turn. */
    @Override
    public void execute(Runnable task) {
        if (loop.inEventLoop() && loop instanceof SingleThreadEventLoop single) {
            single.executeAfterEventLoopIteration(() -> single.execute(task));
        } else {
            loop.execute(task);
        }
    }

    // ---- For a client

    @Override
    @SuppressWarnings("unchecked") // clients use it as a group, and not as the class that they name
    public <T extends EventLoopGroup> T allocate(Class<T> type) {
        return (T) loop;
    }

    @Override
    public int threadPoolSize() {
        return 1;
    }

    @Override
    public Future<Boolean> release(EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
        return GlobalEventExecutor.INSTANCE.newSucceededFuture(true);
    }

    @Override
    public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
        return GlobalEventExecutor.INSTANCE.newSucceededFuture(true);
    }
}
