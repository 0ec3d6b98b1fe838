package dev.sluice.spring.web;

import org.junit.jupiter.api.Tag;

@Tag("full")
class ServletWrongPasswordsRedisTest extends WrongPasswordsRedisContract {
    ServletWrongPasswordsRedisTest() {
        super(Stack.SERVLET);
    }
}
