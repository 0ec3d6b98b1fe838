package dev.sluice;

/** The permits that a request asks of one limiter, where several are charged together. */
public record Charge(Limiter limiter, String key, long permits) {}
