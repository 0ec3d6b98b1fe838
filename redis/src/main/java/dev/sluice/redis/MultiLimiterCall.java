package dev.sluice.redis;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.redis.script.Script;
import dev.sluice.redis.script.ScriptReply;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request to several limiters in one script: all of them are charged or none.
 *
 * <p>How: a script for several limits works as well if they belong to different limiters. It gets the limits of all
 * limiters, one after another, and its reply is divided among them. The denial cache is not used, because it does not know
 * the state of the other limiters.
 */
final class MultiLimiterCall {
    private record Member(RedisLimiter limiter, String key, long maxDelay, LimitScripts scripts) {
        RedisLimiterCore core() {
            return limiter.core();
        }

        int percent() {
            return limiter.percent();
        }

        boolean hasCounter(ScriptCalls calls, String key) {
            return core().calls().limiterName().equals(calls.limiterName()) && this.key.equals(key);
        }

        Decision byPolicy(Operation operation, long permits) {
            return core().calls().byPolicy(operation, key, permits, percent(), maxDelay);
        }

        /** How its policy stands without the request, or that it denies it too. */
        Decision withoutTaking(long permits) {
            Decision now = byPolicy(Operation.PEEK, 0);
            return permits <= now.remaining() ? now : byPolicy(Operation.PEEK, permits);
        }
    }

    private final ResilientConnection connection;
    private final long permits;
    private final List<Member> members;
    private final LimitScripts scripts;
    /** The longest delay that the one limiter with a queue accepts. */
    private final long maxDelay;

    private MultiLimiterCall(ResilientConnection connection, long permits, List<Member> members) {
        this.connection = connection;
        this.permits = permits;
        this.members = members;
        this.scripts =
                LimitScripts.combined(members.stream().map(Member::scripts).toList());
        this.maxDelay = members.stream()
                .filter(member -> member.scripts.delays())
                .mapToLong(Member::maxDelay)
                .min()
                .orElse(LimitScripts.ANY_DELAY);
    }

    /** The call for these charges, or null if one script cannot do it. */
    static @Nullable MultiLimiterCall of(
            ResilientConnection connection, List<Charge> charges, List<RedisLimiter> limiters) {
        List<Member> members = new ArrayList<>(charges.size());
        int limits = 0;
        int queues = 0;
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            RedisLimiter limiter = limiters.get(i);
            if (!limiter.isPlain() || charge.permits() != charges.get(0).permits() || charge.permits() <= 0) {
                return null;
            }
            ScriptCalls calls = limiter.core().calls();
            if (members.stream().anyMatch(member -> member.hasCounter(calls, charge.key()))) {
                return null; // the script would charge that counter once
            }
            LimitScripts scripts = calls.scripts();
            members.add(new Member(limiter, charge.key(), SequentialCharge.maxDelayMicros(charge), scripts));
            limits += scripts.limits().size();
            queues += scripts.delays() ? 1 : 0;
        }
        if (members.isEmpty() || limits > Script.MAX_LIMITS) {
            return null;
        }
        MultiLimiterCall call = new MultiLimiterCall(connection, charges.get(0).permits(), members);
        return queues > 1 && call.maxDelay != LimitScripts.ANY_DELAY ? null : call; // the script has one delay for all
    }

    CompletableFuture<List<Decision>> decide() {
        CompletableFuture<List<Decision>> decisions = new CompletableFuture<>();
        run(ScriptCalls.MAX_REPEATS, decisions);
        return decisions.thenApply(this::observed);
    }

    private List<Decision> observed(List<Decision> decisions) {
        List<Decision> seen = new ArrayList<>(members.size());
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            seen.add(member.limiter.observed(member.key, decisions.get(i)));
        }
        return seen;
    }

    private void run(int repeats, CompletableFuture<List<Decision>> decisions) {
        byte[] arguments = scripts.arguments(Operation.TAKE, permits, maxDelay, percents());
        byte[][] args = members.get(0).core().calls().withTime(arguments);
        boolean asked = connection.run(scripts.decide(), keyNames(), args, bytes -> {
            ScriptReply reply = bytes == null ? null : new ScriptReply(bytes, scripts, 100);
            if (reply == null || (reply.isUndecided() && repeats == 0)) {
                decisions.complete(byPolicy());
            } else if (reply.isUndecided()) {
                after(reply).run(repeats - 1, decisions);
            } else {
                decisions.complete(decisions(reply));
            }
        });
        if (asked) {
            members.get(0).core().calls().counters().asked.increment();
        }
    }

    private List<Decision> decisions(ScriptReply reply) {
        List<Decision> decisions = new ArrayList<>(members.size());
        int first = 0;
        for (Member member : members) {
            ScriptReply own = reply.part(first, member.scripts, member.percent());
            if (reply.isAdmitted()) {
                Decision decision = own.decision(permits, LimitScripts.ANY_DELAY);
                member.core().calls().renewIfHeld(member.key, decision);
                decisions.add(decision);
            } else {
                decisions.add(own.withoutTaking(permits, member.maxDelay));
            }
            first += member.scripts.limits().size();
        }
        return decisions;
    }

    /** The same call after a reply that left it undecided. */
    private MultiLimiterCall after(ScriptReply reply) {
        List<Member> then = new ArrayList<>(members.size());
        for (Member member : members) {
            LimitScripts moved = member.core().calls().afterUndecided(member.scripts, reply);
            then.add(new Member(member.limiter, member.key, member.maxDelay, moved));
        }
        return new MultiLimiterCall(connection, permits, then);
    }

    /** The decisions of each limiter's failure policy. If one denies, the permits of the others are refunded. */
    private List<Decision> byPolicy() {
        List<Decision> decisions = new ArrayList<>(members.size());
        for (Member member : members) {
            Decision decision = member.byPolicy(Operation.TAKE, permits);
            if (!decision.allowed()) {
                return refunded(decisions, decision);
            }
            decisions.add(decision);
        }
        return decisions;
    }

    private List<Decision> refunded(List<Decision> taken, Decision denied) {
        List<Decision> decisions = new ArrayList<>(members.size());
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            if (i < taken.size()) {
                member.core().refund(member.key, LimiterDecision.of(taken.get(i)));
            }
            decisions.add(i == taken.size() ? denied : member.withoutTaking(permits));
        }
        return decisions;
    }

    private String[] keyNames() {
        List<String> names = new ArrayList<>();
        members.forEach(
                member -> Collections.addAll(names, member.core().calls().keyNames(member.scripts, member.key)));
        return names.toArray(String[]::new);
    }

    private int[] percents() {
        int[] percents = new int[scripts.limits().size()];
        int first = 0;
        for (Member member : members) {
            int next = first + member.scripts.limits().size();
            Arrays.fill(percents, first, next, member.percent());
            first = next;
        }
        return percents;
    }
}
