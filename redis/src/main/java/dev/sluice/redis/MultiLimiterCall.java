package dev.sluice.redis;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.client.ResilientConnection.Receiver;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.redis.script.Script;
import dev.sluice.redis.script.ScriptReply;
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
 * limiters, one after another, and its reply is divided among them.
 *
 * <p>A shadow limiter is charged with the others if it admits. If only shadow limiters deny, the script is run again
 * without them: the others are still charged in one step.
 */
final class MultiLimiterCall {
    private record Member(int index, RedisLimiter limiter, String key, long maxDelay, LimitScripts scripts) {
        ScriptCalls calls() {
            return limiter.core().calls();
        }

        int percent() {
            return limiter.percent();
        }

        boolean isShadow() {
            return limiter.isShadow();
        }
    }

    private final RedisStore.Setup setup;
    private final JointRequest request;
    private final List<List<Limit>> limits;
    private final List<Member> members;
    private final long permits;
    private final long askedAtNanos = System.nanoTime();
    /** In the order of the members; null for those that are not decided yet. */
    private final @Nullable Decision[] decisions;

    private MultiLimiterCall(
            RedisStore.Setup setup,
            JointRequest request,
            List<List<Limit>> limits,
            List<Member> members,
            @Nullable Decision[] known) {
        this.setup = setup;
        this.request = request;
        this.limits = limits;
        this.members = members;
        this.permits = request.charges().get(0).permits();
        this.decisions = known;
    }

    /**
     * The call for this request, which charges no counter twice, or null if one script cannot do it.
     *
     * @param known the decisions of shadows that are known to deny, null for all others
     */
    static @Nullable MultiLimiterCall of(RedisStore.Setup setup, JointRequest request, @Nullable Decision[] known) {
        List<List<Limit>> before = request.limits();
        List<Charge> charges = request.charges();
        List<Member> members = new ArrayList<>(charges.size());
        int limits = 0;
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            RedisLimiter limiter = request.limiters().get(i);
            ScriptCalls calls = limiter.core().calls();
            if (charge.permits() != charges.get(0).permits() || charge.permits() <= 0) {
                return null;
            }
            LimitScripts scripts = calls.current();
            members.add(new Member(i, limiter, charge.key(), SequentialCharge.maxDelayMicros(charge), scripts));
            limits += scripts.limits().size();
        }
        boolean isOneScript = !members.isEmpty() && limits <= Script.MAX_LIMITS && haveOneDelay(members);
        return isOneScript
                        && !members.stream()
                                .allMatch(member -> member.limiter.core().takesBatches())
                ? new MultiLimiterCall(setup, request, before, members, known)
                : null;
    }

    /** The script has one delay for all, and a shadow delays nothing. */
    private static boolean haveOneDelay(List<Member> members) {
        List<Member> delaying =
                members.stream().filter(member -> member.scripts.delays()).toList();
        return delaying.stream().noneMatch(Member::isShadow)
                && (delaying.size() <= 1 || maxDelay(members) == LimitScripts.ANY_DELAY);
    }

    /** The longest delay that the limiters with a queue accept. */
    private static long maxDelay(List<Member> members) {
        return members.stream()
                .filter(member -> member.scripts.delays())
                .mapToLong(Member::maxDelay)
                .min()
                .orElse(LimitScripts.ANY_DELAY);
    }

    CompletableFuture<List<Decision>> decide() {
        CompletableFuture<List<Decision>> done = new CompletableFuture<>();
        run(undecided(), DecisionCall.MAX_REPEATS, done);
        return done;
    }

    private List<Member> undecided() {
        return members.stream()
                .filter(member -> decisions[member.index] == null)
                .toList();
    }

    // ---- Redis

    private void run(List<Member> asked, int repeats, CompletableFuture<List<Decision>> done) {
        LimitScripts scripts =
                LimitScripts.combined(asked.stream().map(Member::scripts).toList());
        byte[] arguments = scripts.arguments(Operation.TAKE, permits, maxDelay(asked), percents(asked, scripts));
        long calledAtNanos = System.nanoTime();
        byte[][] args = asked.get(0).calls().withTime(arguments);
        Receiver receiver = new Receiver() {
            @Override
            public void replied(byte @Nullable [] bytes) {
                ScriptReply reply = bytes == null ? null : new ScriptReply(bytes, scripts, 100);
                boolean isLate = setup.combiner().isLate(askedAtNanos);
                if (reply == null || (reply.isUndecided() && (isLate || repeats == 0))) {
                    done.complete(new PolicyCharge(setup.memory(), request).decide());
                } else if (reply.isUndecided()) {
                    run(after(asked, reply), repeats - 1, done);
                } else {
                    divide(asked, reply);
                    if (!reply.isAdmitted()) {
                        request.remember(setup.denials(), limits, decisions, calledAtNanos);
                    }
                    List<Member> again = reply.isAdmitted() ? List.of() : withoutShadows(asked);
                    if (again.isEmpty()) {
                        done.complete(request.observed(decisions));
                    } else if (isLate) {
                        done.complete(new PolicyCharge(setup.memory(), request).decide());
                    } else {
                        run(again, DecisionCall.MAX_REPEATS, done);
                    }
                }
            }

            @Override
            public void repliedLate(byte[] bytes) {
                releaseAll(asked, new ScriptReply(bytes, scripts, 100));
            }
        };
        boolean sent =
                setup.connection().run(scripts.decideAlone(), keyNames(asked), args, ResilientConnection.ONE, receiver);
        if (sent) {
            setup.counters().asked.increment();
        }
    }

    /** The failure policy has decided. Holds that were taken after all would stay until their leases end. */
    private void releaseAll(List<Member> asked, ScriptReply reply) {
        if (reply.isUndecided() || !reply.isAdmitted()) {
            return;
        }
        int first = 0;
        for (Member member : asked) {
            if (member.scripts.holds()) {
                ScriptReply own = reply.part(first, member.scripts, member.percent());
                member.calls().releaseLate(member.key, own.decision(permits, LimitScripts.ANY_DELAY));
            }
            first += member.scripts.limits().size();
        }
    }

    private void divide(List<Member> asked, ScriptReply reply) {
        int first = 0;
        for (Member member : asked) {
            ScriptReply own = reply.part(first, member.scripts, member.percent());
            if (reply.isAdmitted()) {
                Decision decision = own.decision(permits, LimitScripts.ANY_DELAY);
                member.calls().renewIfHeld(member.scripts, member.key, decision);
                decisions[member.index] = decision;
            } else {
                decisions[member.index] = own.withoutTaking(permits, member.maxDelay);
            }
            first += member.scripts.limits().size();
        }
    }

    /** If only shadows deny, the others, whose decisions are forgotten; else nobody. */
    private List<Member> withoutShadows(List<Member> asked) {
        List<Member> admitting = asked.stream().filter(this::isAllowed).toList();
        boolean onlyShadows = asked.stream().allMatch(member -> member.isShadow() || isAllowed(member));
        if (!onlyShadows || admitting.size() == asked.size()) {
            return List.of();
        }
        admitting.forEach(member -> decisions[member.index] = null);
        return admitting;
    }

    private boolean isAllowed(Member member) {
        Decision decision = decisions[member.index];
        return decision != null && decision.allowed();
    }

    /** The same members after a reply that left them undecided. */
    private static List<Member> after(List<Member> members, ScriptReply reply) {
        List<Member> then = new ArrayList<>(members.size());
        for (Member member : members) {
            LimitScripts moved = member.calls().afterUndecided(member.scripts, reply);
            then.add(new Member(member.index, member.limiter, member.key, member.maxDelay, moved));
        }
        return then;
    }

    private static String[] keyNames(List<Member> members) {
        List<String> names = new ArrayList<>();
        members.forEach(member -> Collections.addAll(names, member.calls().keyNames(member.scripts, member.key)));
        return names.toArray(String[]::new);
    }

    private static int[] percents(List<Member> members, LimitScripts scripts) {
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
