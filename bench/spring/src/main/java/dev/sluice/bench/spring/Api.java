package dev.sluice.bench.spring;

/** A controller with one method, which does next to nothing. */
interface Api {
    String ANSWER = "hello";

    String hello();
}
