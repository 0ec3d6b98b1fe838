package dev.sluice.bench.redis;

import dev.sluice.bench.report.Programs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/** The floor for requests that are sent together: those that come while a script is under way go in the next one. */
final class TogetherSubject implements Subject {
    private static final int MAX_REQUESTS = 64;

    private record Request(String key, CompletableFuture<Boolean> allowed) {}

    private final RedisClient client;
    private final RedisAsyncCommands<String, String> commands;
    private final String sha;
    private final String millis;
    private final Queue<Request> waiting = new ArrayDeque<>();
    private int underWay;

    TogetherSubject(String url, Quota quota) {
        this.client = RedisClient.create(url);
        this.commands = client.connect().async();
        this.sha = commands.scriptLoad(Programs.resource(TogetherSubject.class, "floor-together.lua"))
                .toCompletableFuture()
                .join();
        this.millis = Long.toString(quota.periodMillis());
    }

    @Override
    public boolean tryAcquire(String key) {
        return ask(key).join();
    }

    @Override
    public void tryAcquire(String key, Reply reply) {
        reply.await(ask(key), allowed -> allowed);
    }

    private CompletableFuture<Boolean> ask(String key) {
        Request request = new Request(key, new CompletableFuture<>());
        List<Request> batch;
        synchronized (waiting) {
            waiting.add(request);
            batch = next();
        }
        send(batch);
        return request.allowed;
    }

    /** The requests to send now; none while they have to wait for a reply. */
    private List<Request> next() {
        List<Request> batch = new ArrayList<>();
        if (underWay == 0 || waiting.size() >= MAX_REQUESTS) {
            while (!waiting.isEmpty() && batch.size() < MAX_REQUESTS) {
                batch.add(waiting.remove());
            }
        }
        underWay += batch.isEmpty() ? 0 : 1;
        return batch;
    }

    private void send(List<Request> batch) {
        if (batch.isEmpty()) {
            return;
        }
        String[] keys = batch.stream().map(Request::key).toArray(String[]::new);
        commands.<List<Long>>evalsha(sha, ScriptOutputType.MULTI, keys, millis).whenComplete((counts, failure) -> {
            List<Request> following;
            synchronized (waiting) {
                underWay--;
                following = next();
            }
            send(following);
            for (int i = 0; i < batch.size(); i++) {
                if (failure != null) {
                    batch.get(i).allowed.completeExceptionally(failure);
                } else {
                    batch.get(i).allowed.complete(counts.get(i) > 0);
                }
            }
        });
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
