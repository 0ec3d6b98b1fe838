package dev.sluice.simulate.suggest;

/**
 * What a client looks like, and why.
 *
 * @param key the client
 * @param behaviour what it looks like
 * @param requests how many requests it made
 * @param mostInMinute the largest number of them in any minute
 * @param reason why it looks like that
 */
public record Assessment(String key, Behaviour behaviour, long requests, int mostInMinute, String reason) {}
