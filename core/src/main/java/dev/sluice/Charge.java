package dev.sluice;

/** What one request asks of one limiter, among several. */
public record Charge(Limiter limiter, String key, long permits) {}
