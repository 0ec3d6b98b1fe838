package dev.sluice.bench.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every row is limited by whom it says, and by nobody else. */
@Tag("full")
class AppTest {
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = ".*_FILTER")
    void filtersRefuseWhatIsOverTheLimit(StarterRow row) throws Exception {
        try (App app = App.start(row.starter, 3)) {
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                statuses.add(app.get(row.path).getStatus());
            }
            assertThat(statuses).containsExactly(200, 200, 200, 429, 429);
            assertThat(app.get(StarterRow.NOTHING.path).getStatus()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = ".*_ANNOTATION")
    void annotationsRefuseWhatIsOverTheLimit(StarterRow row) throws Exception {
        try (App app = App.start(row.starter, 3)) {
            Api api = app.api(row.api);
            assertThat(app.get(row.path).body()).isEqualTo(Api.ANSWER);
            assertThat(List.of(api.hello(), api.hello())).containsOnly(Api.ANSWER);
            assertThatThrownBy(api::hello).isInstanceOf(RuntimeException.class);
            for (StarterRow other : Kind.CALL.rows) {
                if (other != row) {
                    assertThat(app.api(other.api).getClass()).isEqualTo(other.api);
                }
            }
        }
    }
}
