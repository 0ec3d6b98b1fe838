package dev.sluice.server.web;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.MessageSizeEstimator;

/**
 * Buffers with room for a whole response.
 *
 * <p>Why: Netty allocates a buffer for the head of a response, and adds the body if there is room. Otherwise the body is
 * copied to a buffer of its own, and the two are sent with a promise each. The response to a check is longer in its body
 * than in its head, so the buffer of a head would never do.
 *
 * <p>Since a buffer may be larger than what is in it, a response that its client does not take counts with the size of its
 * buffer.
 */
final class ResponseBuffers extends AbstractByteBufAllocator implements MessageSizeEstimator {
    /** Shorter buffers are no heads: HTTP/2 has many of a few bytes. */
    private static final int MIN_HEAD = 96;
    /** A size that Netty's allocators have, so that nothing of it is lost. */
    private static final int RESPONSE = 640;

    private final ByteBufAllocator inner = ByteBufAllocator.DEFAULT;
    private final MessageSizeEstimator.Handle others = DefaultMessageSizeEstimator.DEFAULT.newHandle();

    ResponseBuffers() {
        super(true);
    }

    /** Makes all accepted connections use it. */
    void install(ServerBootstrap bootstrap) {
        bootstrap.childOption(ChannelOption.ALLOCATOR, this);
        bootstrap.childOption(ChannelOption.MESSAGE_SIZE_ESTIMATOR, this);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return inner.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        boolean isHead = initialCapacity >= MIN_HEAD && initialCapacity < RESPONSE && maxCapacity >= RESPONSE;
        return inner.directBuffer(isHead ? RESPONSE : initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return inner.isDirectBufferPooled();
    }

    @Override
    public Handle newHandle() {
        return message -> message instanceof ByteBuf buffer ? buffer.capacity() : others.size(message);
    }
}
