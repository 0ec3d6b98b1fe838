package dev.sluice.simulate.suggest;

import java.util.List;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Some of the indexes of a list of clients: every {@code step}th from {@code first} on. The list begins with the largest
 * clients, so that each chunk has large and small ones.
 */
record Chunk(int first, int step, int size) {
    private static final int PER_PROCESSOR = 4;

    /** Works on chunks of a list of so many clients, by all processors. */
    static <T> List<T> each(int size, Function<Chunk, T> work) {
        int chunks = PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
        return IntStream.range(0, chunks)
                .parallel()
                .mapToObj(first -> work.apply(new Chunk(first, chunks, size)))
                .toList();
    }

    void forEach(IntConsumer consumer) {
        for (int i = first; i < size; i += step) {
            consumer.accept(i);
        }
    }
}
