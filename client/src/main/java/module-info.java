/** Asking the service, and retrying calls as their servers ask. */
module dev.sluice.client {
    requires static org.jspecify;
    requires transitive java.net.http;

    exports dev.sluice.client;
}
