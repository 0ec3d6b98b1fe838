package dev.sluice.redis;

import dev.sluice.Charge;
import dev.sluice.Decision;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One request that asks several limiters in one script: all of them are charged or none.
 *
 * <p>How: the script of several limits does not care whose limits they are. It is given those of all limiters, one after
 * another, and what it says of each is told to each. What is known here of earlier denials is not used, since only Redis
 * knows how the others stand.
 */
final class Together {
    private static final int MOST_SPANS = 4;

    private record Member(SharedState shared, String key, int percent, Plan plan) {
        boolean isAlso(SharedState shared, String key) {
            return this.shared.name().equals(shared.name()) && this.key.equals(key);
        }
    }

    private final Link link;
    private final long permits;
    private final List<Member> members;
    private final Plan plan;

    private Together(Link link, long permits, List<Member> members) {
        this.link = link;
        this.permits = permits;
        this.members = members;
        this.plan = Plan.together(members.stream().map(Member::plan).toList());
    }

    /** The request, if one script can see to it. */
    static @Nullable Together of(Link link, List<Charge> charges) {
        List<Member> members = new ArrayList<>(charges.size());
        int limits = 0;
        for (Charge charge : charges) {
            if (!(charge.limiter() instanceof RedisLimiter limiter)
                    || !limiter.isPlain()
                    || charge.permits() != charges.get(0).permits()
                    || charge.permits() <= 0) {
                return null;
            }
            SharedState shared = limiter.shared();
            if (members.stream().anyMatch(member -> member.isAlso(shared, charge.key()))) {
                return null; // the script would charge that counter once
            }
            Plan plan = shared.plan();
            members.add(new Member(shared, charge.key(), limiter.percent(), plan));
            limits += plan.terms().size();
        }
        return members.isEmpty() || limits > Script.MOST_LIMITS
                ? null
                : new Together(link, charges.get(0).permits(), members);
    }

    CompletableFuture<List<Decision>> decide() {
        CompletableFuture<List<Decision>> answer = new CompletableFuture<>();
        ask(MOST_SPANS, answer);
        return answer;
    }

    private void ask(int spans, CompletableFuture<List<Decision>> answer) {
        byte[] args = plan.args(SharedState.TAKE, permits, SharedState.ANY_DELAY, percents());
        link.run(plan.decide(), names(), members.get(0).shared.args(args), (bytes, failure) -> {
            Reply reply = bytes == null ? null : new Reply(bytes);
            if (reply == null || (reply.isOutOfSpan() && spans == 0)) {
                answer.complete(byPolicy());
            } else if (reply.isOutOfSpan()) {
                at(reply.nowMicros()).ask(spans - 1, answer);
            } else {
                answer.complete(decisions(reply));
            }
        });
    }

    private List<Decision> decisions(Reply reply) {
        List<Decision> decisions = new ArrayList<>(members.size());
        int first = 0;
        for (Member member : members) {
            Reply own = reply.from(first);
            if (reply.isAdmitted()) {
                Decision decision = own.decision(member.plan, permits, member.percent, SharedState.ANY_DELAY);
                member.shared.taken(member.key, decision);
                decisions.add(decision);
            } else {
                decisions.add(own.standing(member.plan, permits, member.percent));
            }
            first += member.plan.terms().size();
        }
        return decisions;
    }

    /** The same request when a window of the calendar has turned. */
    private Together at(long serverMicros) {
        List<Member> then = new ArrayList<>(members.size());
        for (Member member : members) {
            member.shared.turnTo(serverMicros);
            then.add(new Member(member.shared, member.key, member.percent, member.shared.plan()));
        }
        return new Together(link, permits, then);
    }

    /** Each follows its own policy, and what one gave is given back when another denies. */
    private List<Decision> byPolicy() {
        List<Decision> decisions = new ArrayList<>(members.size());
        for (Member member : members) {
            Decision decision = member.shared.byPolicy(member.key, permits, member.percent);
            if (!decision.allowed()) {
                return undone(decisions, decision);
            }
            decisions.add(decision);
        }
        return decisions;
    }

    private List<Decision> undone(List<Decision> taken, Decision denied) {
        List<Decision> decisions = new ArrayList<>(members.size());
        for (int i = 0; i < taken.size(); i++) {
            members.get(i).shared.giveBack(members.get(i).key, taken.get(i));
            decisions.add(Receipts.ofNobody(taken.get(i)));
        }
        decisions.add(denied);
        for (Member member : members.subList(decisions.size(), members.size())) {
            decisions.add(member.shared.standsByPolicy(member.key, permits, member.percent));
        }
        return decisions;
    }

    private String[] names() {
        List<String> names = new ArrayList<>();
        members.forEach(member -> Collections.addAll(names, member.shared.names(member.plan, member.key)));
        return names.toArray(String[]::new);
    }

    private int[] percents() {
        int[] percents = new int[plan.terms().size()];
        int first = 0;
        for (Member member : members) {
            int next = first + member.plan.terms().size();
            Arrays.fill(percents, first, next, member.percent);
            first = next;
        }
        return percents;
    }
}
