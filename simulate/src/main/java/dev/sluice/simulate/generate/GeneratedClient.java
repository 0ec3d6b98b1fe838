package dev.sluice.simulate.generate;

import java.time.Instant;

/**
 * The truth about a client of a generated log.
 *
 * @param ip its address
 * @param kind what it is
 * @param requests how many requests it made
 * @param first when it made the first
 * @param last when it made the last
 */
public record GeneratedClient(String ip, ClientKind kind, long requests, Instant first, Instant last) {}
