package dev.sluice.bench.server;

/** So many requests were answered, all of them with success, in so many seconds. */
record Burst(long requests, double seconds) {
    double perSecond() {
        return requests / seconds;
    }
}
