package dev.sluice.simulate.suggest.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointsTest {
    @ParameterizedTest
    @CsvSource({
        "/,/",
        "/login,/login",
        "/products/17,/products/*",
        "/api/v1/orders/9f3c,/api/v1/orders/*",
        "/images/17.webp,/images/*.webp",
        "/static/site.css,/static/site.css",
        "/a/b/c/d/e,/a/b/c/d/**",
        "/caf%C3%A9,/*",
        "/a*b,/*",
        "/..,/*",
        "//,/",
        "/login/,/login",
        "'',/",
    })
    void pathsOfManyThingsAreOneEndpoint(String path, String glob) {
        assertThat(Endpoints.glob(path)).isEqualTo(glob);
    }

    @Test
    void theirNumberIsBounded() {
        Endpoints endpoints = new Endpoints();
        for (int i = 0; i < 100_000; i++) {
            StringBuilder word = new StringBuilder("/");
            for (int rest = i; rest >= 0; rest = rest == 0 ? -1 : rest / 26) {
                word.append((char) ('a' + rest % 26));
            }
            endpoints.mark("GET", word.toString(), 200);
        }
        assertThat(endpoints.size()).isEqualTo(4096);
        assertThat(Endpoints.endpoint(endpoints.mark("GET", "/never-seen", 200)))
                .isEqualTo(Endpoints.OTHER);
    }

    @Test
    void whatIsNoMethodIsNoEndpoint() {
        Endpoints endpoints = new Endpoints();
        for (String method : new String[] {"\u0016\u0003\u0001", "GET\n- name: x", "G".repeat(1000)}) {
            assertThat(Endpoints.endpoint(endpoints.mark(method, "/login", 400)))
                    .isEqualTo(Endpoints.OTHER);
        }
        assertThat(endpoints.get(Endpoints.endpoint(endpoints.mark("M-SEARCH", "/login", 400))))
                .hasToString("M-SEARCH /login");
    }

    @Test
    void aMarkHasTheGroupOfTheStatus() {
        Endpoints endpoints = new Endpoints();
        assertThat(Endpoints.statusGroup(endpoints.mark("GET", "/products/fresh", 404)))
                .isEqualTo(Endpoints.CLIENT_ERROR);
        assertThat(Endpoints.statusGroup(endpoints.mark("GET", null, 429))).isEqualTo(Endpoints.OK);
    }
}
