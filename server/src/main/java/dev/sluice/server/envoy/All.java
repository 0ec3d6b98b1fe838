package dev.sluice.server.envoy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Several answers as one. */
final class All {
    private All() {}

    static <T> CompletableFuture<List<T>> of(List<CompletableFuture<T>> each) {
        return CompletableFuture.allOf(each.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    List<T> all = new ArrayList<>(each.size());
                    each.forEach(one -> all.add(one.join()));
                    return all;
                });
    }
}
