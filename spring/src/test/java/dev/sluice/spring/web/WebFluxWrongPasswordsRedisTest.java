package dev.sluice.spring.web;

import org.junit.jupiter.api.Tag;

@Tag("full")
class WebFluxWrongPasswordsRedisTest extends WrongPasswordsRedisContract {
    WebFluxWrongPasswordsRedisTest() {
        super(Stack.WEBFLUX);
    }
}
