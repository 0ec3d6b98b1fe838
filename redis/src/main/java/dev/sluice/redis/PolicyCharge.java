package dev.sluice.redis;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Store;
import dev.sluice.redis.script.LimitScripts.Operation;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A request to several limiters while Redis does not answer: each decides by its failure policy, and all of them take
 * permits or none. Those that decide in this process are charged in one step.
 */
final class PolicyCharge {
    private final Store memory;
    private final JointRequest request;
    private final @Nullable Decision[] decisions;

    PolicyCharge(Store memory, JointRequest request) {
        this.memory = memory;
        this.request = request;
        this.decisions = new Decision[request.charges().size()];
    }

    /** The decisions as the caller sees them. */
    List<Decision> decide() {
        List<Integer> asked = IntStream.range(0, decisions.length).boxed().toList();
        while (!asked.isEmpty()) {
            charge(asked);
            asked = withoutShadows(asked);
        }
        for (int i = 0; i < decisions.length; i++) {
            policy(i).count();
        }
        return request.observed(decisions);
    }

    private void charge(List<Integer> asked) {
        List<Integer> local = asked.stream().filter(i -> policy(i).isLocal()).toList();
        boolean denied = false;
        for (int i : asked) {
            if (!policy(i).isLocal()) {
                long permits = charge(i).permits();
                decisions[i] = policy(i).alone(limiter(i).core().scripts(), permits);
                denied |= !isAllowed(i);
            }
        }
        if (denied) {
            local.forEach(i -> decisions[i] = withoutTaking(i));
            return;
        }
        List<Charge> charges = local.stream()
                .map(i -> policy(i)
                        .charge(
                                charge(i).key(),
                                charge(i).permits(),
                                limiter(i).percent(),
                                SequentialCharge.maxDelayMicros(charge(i))))
                .toList();
        List<Decision> charged = memory.decideAll(charges).join();
        for (int i = 0; i < charged.size(); i++) {
            decisions[local.get(i)] = charged.get(i);
        }
    }

    /** How a limiter stands without the request, or that it denies it too. */
    private Decision withoutTaking(int index) {
        Decision now = peek(index, 0);
        return charge(index).permits() <= now.remaining()
                ? now
                : peek(index, charge(index).permits());
    }

    private Decision peek(int index, long permits) {
        return limiter(index)
                .core()
                .calls()
                .byPolicy(
                        Operation.PEEK,
                        charge(index).key(),
                        permits,
                        limiter(index).percent(),
                        SequentialCharge.maxDelayMicros(charge(index)));
    }

    /** If only shadows deny, the others, which are to be charged; else nobody. */
    private List<Integer> withoutShadows(List<Integer> asked) {
        List<Integer> admitting = asked.stream().filter(this::isAllowed).toList();
        boolean onlyShadows = asked.stream().allMatch(i -> limiter(i).isShadow() || isAllowed(i));
        return onlyShadows && admitting.size() < asked.size() ? admitting : List.of();
    }

    private boolean isAllowed(int index) {
        Decision decision = decisions[index];
        return decision != null && decision.allowed();
    }

    private Charge charge(int index) {
        return request.charges().get(index);
    }

    private RedisLimiter limiter(int index) {
        return request.limiters().get(index);
    }

    private FailurePolicy policy(int index) {
        return limiter(index).core().calls().policy();
    }
}
