package dev.sluice.server.admin;

/**
 * Who asks.
 *
 * @param name of the token; {@code local} where none is needed
 * @param peer the address that the connection comes from
 */
record Caller(String name, String peer) {
    @Override
    public String toString() {
        return name + "@" + peer;
    }
}
