package dev.sluice.simulate.generate;

/**
 * A request of a generated log.
 *
 * @param timeMicros when it was made, in microseconds since 1970
 * @param ip the address of the client
 * @param user the name of the user; empty for none
 * @param method the method
 * @param path the path with its query
 * @param status the status of the response
 * @param bytes the size of the response
 * @param referer the page that it came from; empty for none
 * @param agent the user agent
 */
public record GeneratedRequest(
        long timeMicros,
        String ip,
        String user,
        String method,
        String path,
        int status,
        long bytes,
        String referer,
        String agent) {}
