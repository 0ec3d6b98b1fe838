package dev.sluice.rules;

/** The names of attributes that mean something to rules. */
final class Attributes {
    static final String IP = "ip";
    static final String PATH = "path";
    static final String PRIORITY = "priority";
    static final String REGION = "region";

    private Attributes() {}
}
