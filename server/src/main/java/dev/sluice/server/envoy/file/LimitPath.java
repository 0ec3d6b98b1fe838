package dev.sluice.server.envoy.file;

/**
 * Where a limit stands in the files.
 *
 * @param domain its domain
 * @param descriptor the path to it, such as {@code database_users}
 * @param name both, as envoyproxy/ratelimit joins them
 */
public record LimitPath(String domain, String descriptor, String name) {
    public LimitPath(String domain, String descriptor) {
        this(domain, descriptor, domain + "." + descriptor);
    }
}
