package dev.sluice.simulate.suggest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.simulate.suggest.traffic.Endpoints;
import org.junit.jupiter.api.Test;

class ScopeTest {
    @Test
    void itHasWhateverItsGlobMatches() {
        Endpoints endpoints = new Endpoints();
        int things = endpoints.mark("GET", "/products/17", 200);
        int fresh = endpoints.mark("GET", "/products/fresh", 404);
        int posted = endpoints.mark("POST", "/products/17", 500);
        int deeper = endpoints.mark("GET", "/products/17/reviews", 200);
        Scope scope = Scope.of(endpoints, Endpoints.endpoint(things));
        assertThat(scope.contains(things)).isTrue();
        assertThat(scope.contains(fresh)).isTrue();
        assertThat(scope.contains(posted)).isFalse();
        assertThat(scope.contains(deeper)).isFalse();
        assertThat(Scope.ALL.contains(deeper)).isTrue();
    }
}
