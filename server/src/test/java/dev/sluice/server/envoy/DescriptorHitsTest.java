package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.server.envoy.file.LimitPath;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The split of hits is that of envoyproxy/ratelimit, with its near limit at 80 %. */
class DescriptorHitsTest {
    @ParameterizedTest(name = "{1} hits after {0} of {2}")
    @CsvSource({
        // before, hits, limit, within, near, over
        "0,   1,  10,  1, 0, 0",
        "7,   1,  10,  1, 0, 0",
        "8,   1,  10,  1, 1, 0",
        "9,   1,  10,  1, 1, 0",
        "10,  1,  10,  0, 0, 1",
        "11,  3,  10,  0, 0, 3",
        "0,  10,  10, 10, 2, 0",
        "0,  15,  10,  0, 2, 5",
        "9,   4,  10,  0, 1, 3",
        "0,   1,   1,  1, 1, 0",
        "0,   1,   0,  0, 0, 1",
        "3,   1,   5,  1, 0, 0",
        "4,   1,   5,  1, 1, 0",
        "0,  9007199254740991, 9007199254740992, 9007199254740991, 1801439850948198, 0",
    })
    void split(long before, long hits, long limit, long within, long near, long over) {
        DescriptorHits counted = new DescriptorHits(
                new LimitPath("d", "a"),
                "a",
                "",
                hits,
                before,
                limit,
                DescriptorHits.Mode.SHADOW,
                Decision.Source.DENIAL_CACHE,
                0);
        assertThat(counted.withinLimit()).as("within").isEqualTo(within);
        assertThat(counted.nearLimit()).as("near").isEqualTo(near);
        assertThat(counted.overLimit()).as("over").isEqualTo(over);
        assertThat(counted.shadowMode()).isEqualTo(over > 0 ? hits : 0);
        assertThat(counted.overLimitWithLocalCache()).isEqualTo(over > 0 ? hits : 0);
    }
}
