package dev.sluice.simulate.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.simulate.judge.Judge.Judged;
import dev.sluice.simulate.judge.Judge.Planted;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Suggested rules meet their targets on generated logs. {@code ./sluice judge} does the same on twenty larger ones. */
@Tag("full")
class JudgeTest {
    private static final long LINES = 30_000;

    @ParameterizedTest
    @ValueSource(longs = {101, 102, 103})
    void rulesCutAbuseAndLeaveOthersAlone(long seed) throws IOException {
        Judged judged = Judge.judge(seed, LINES, Planted.NOTHING);
        assertThat(JudgedTable.isMet(judged.outcome())).as(judged.toString()).isTrue();
        assertThat(judged.outcome().abusive()).isGreaterThan(LINES / 20);
        assertThat(JudgedTable.of(List.of(judged))).contains("met by 1 of 1 seeds");
    }

    /** It is not asked for, but the judge must see it: rules that no limit per address can keep. */
    @Test
    void anAttackFromManyAddressesIsSeenToComeThrough() throws IOException {
        Judged judged = Judge.judge(101, LINES, Planted.SLOW_STUFFING);
        assertThat(judged.outcome().goodTouched()).isZero();
        assertThat(judged.outcome().cutPercent()).isLessThan(JudgedTable.MIN_CUT);
        assertThat(JudgedTable.of(List.of(judged))).contains("met by 0 of 1 seeds");
    }
}
