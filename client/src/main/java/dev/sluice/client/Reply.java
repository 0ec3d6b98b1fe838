package dev.sluice.client;

/** What came back over HTTP. */
record Reply(int status, String body) {}
