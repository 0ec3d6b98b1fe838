package dev.sluice.simulate.suggest;

import dev.sluice.simulate.suggest.traffic.Events;
import java.util.List;

/** Several rules on the requests of one client: a request takes a permit of each rule that applies, or of none. */
final class JointRules {
    private JointRules() {}

    /** A sliding log. */
    private static final class Log {
        final ProposedRule rule;
        final long windowMicros;
        final long[] admitted;
        int count;

        Log(ProposedRule rule, int requests) {
            this.rule = rule;
            this.windowMicros = LimitFinder.micros(rule.window());
            this.admitted = new long[(int) Math.min(rule.permits(), requests)];
        }

        boolean applies(int mark) {
            return rule.scope().contains(mark);
        }

        boolean hasRoom(long micros) {
            return count < admitted.length || micros - admitted[count % admitted.length] >= windowMicros;
        }

        void take(long micros) {
            admitted[count++ % admitted.length] = micros;
        }
    }

    /** How many requests the rules deny. */
    static int denied(List<ProposedRule> rules, Events events) {
        List<Log> logs =
                rules.stream().map(rule -> new Log(rule, events.count())).toList();
        int denied = 0;
        for (int i = 0; i < events.count(); i++) {
            int mark = events.mark(i);
            long micros = events.time(i);
            boolean room = true;
            for (Log log : logs) {
                room &= !log.applies(mark) || log.hasRoom(micros);
            }
            denied += room ? 0 : 1;
            for (Log log : logs) {
                if (room && log.applies(mark)) {
                    log.take(micros);
                }
            }
        }
        return denied;
    }
}
