package dev.sluice.spring;

import java.util.List;
import java.util.Locale;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.core.env.Environment;

/** Who reads {@code X-Forwarded-For} before the filters of Sluice do, as {@code server.forward-headers-strategy} says. */
public final class ForwardedHeaders {
    private static final String STRATEGY = "server.forward-headers-strategy";

    private ForwardedHeaders() {}

    /** Whether the server does. */
    public static boolean areReadByServer(Environment environment) {
        String strategy = strategy(environment);
        if (strategy.isEmpty()) {
            CloudPlatform platform = CloudPlatform.getActive(environment);
            return platform != null && platform.isUsingForwardHeaders();
        }
        return strategy.equals("native");
    }

    /**
     * What is not as it may seem.
     *
     * @param servlets whether the application uses servlets, whose requests do not show what the server has changed
     */
    public static List<String> warnings(Environment environment, WebRules rules, boolean servlets) {
        boolean readByServer = areReadByServer(environment);
        boolean trustsNobody = rules.trustedProxies().networks().isEmpty();
        if (rules.isEmpty() || !(readByServer || strategy(environment).equals("framework"))) {
            return List.of();
        }
        if (readByServer && servlets) {
            return List.of(STRATEGY + "=native: the server decides who the client is before Sluice sees the request. It"
                    + " trusts proxies by settings of its own (Tomcat: server.tomcat.remoteip.internal-proxies, which by"
                    + " default are all private networks), and a client among them can pretend to be any address. Set"
                    + " the strategy to framework or none and name the proxies in trusted-proxies, or let the server"
                    + " trust no others");
        }
        return trustsNobody
                ? List.of(
                        STRATEGY + "=" + (readByServer ? "native" : "framework") + ", but there are no trusted-proxies:"
                                + " the attribute ip is the address of the proxy, the same for all clients behind it. Name the"
                                + " proxies in trusted-proxies")
                : List.of();
    }

    private static String strategy(Environment environment) {
        return environment.getProperty(STRATEGY, "").toLowerCase(Locale.ROOT);
    }
}
