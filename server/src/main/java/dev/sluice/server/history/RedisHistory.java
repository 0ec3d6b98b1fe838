package dev.sluice.server.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.server.ruleset.RedisConnection;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The past that servers share through Redis.
 *
 * <pre>
 *   sluice:{history}:seconds      stream: one entry for each second of each server, for 15 minutes
 *   sluice:{history}:minutes      stream: one entry for each minute of each server, for 24 hours
 *   sluice:{history}:hours        hash: good and bad requests of all servers by the hour, for 30 days; since when
 *   sluice:{history}:servers      hash: how each server is, and its top keys
 *   sluice:{history}:names:…      string: the names of the rules, by their hash; entries name the hash
 *   sluice:{history}:sent:…       string: the number of the last entry of a server, so that none is added twice
 * </pre>
 *
 * <p>All of them expire when no server writes to them any more.
 */
final class RedisHistory implements SharedHistory {
    private static final System.Logger LOG = System.getLogger(RedisHistory.class.getName());
    private static final String PUBLISH = script("publish-slot.lua");
    private static final int MAX_ENTRIES = 100_000;
    private static final int PAGE = 500;
    private static final int MAX_PAGES = MAX_ENTRIES / PAGE;
    private static final int MAX_NAMES = 1 << 16;
    private static final int MAX_SERVERS = 256;
    private static final int MAX_NAME_LISTS = 64;
    private static final long NAMES_EXPIRE_SECONDS = 25 * 3600;
    private static final long SERVER_KEPT_SECONDS = 15 * 60;

    private final RedisConnection connection;
    private final String id;
    private final String base;
    private final Map<SharedSlot.Span, String> lastRead = new EnumMap<>(SharedSlot.Span.class);
    private final Map<String, List<String>> names = new LinkedHashMap<>();
    private @Nullable List<String> ownNames;
    private String ownHash = "";
    private long ownNamesMinute;

    RedisHistory(String url, String prefix, String id) {
        this.connection = new RedisConnection(url);
        this.id = id;
        this.base = prefix + ":{history}";
    }

    @Override
    public long clock() {
        return call(redis -> {
            List<String> time = redis.time();
            return Long.parseLong(time.get(0)) * 1000 + Long.parseLong(time.get(1)) / 1000;
        });
    }

    @Override
    public long publish(SharedSlot slot, long number) {
        boolean minute = slot.span() == SharedSlot.Span.MINUTE;
        return call(redis -> {
            String hash = namesHash(redis, slot);
            List<Object> reply = redis.eval(
                    PUBLISH,
                    ScriptOutputType.MULTI,
                    new String[] {
                        stream(slot.span()),
                        base + ":sent:" + id + (minute ? ":minutes" : ":seconds"),
                        base + ":hours",
                        namesKey(hash)
                    },
                    id,
                    Long.toString(number),
                    Long.toString(slot.time()),
                    hash,
                    Base64.getEncoder().encodeToString(slot.slot().bytes()),
                    Integer.toString((minute ? History.MINUTES * 60 : History.SECONDS) + 60),
                    Integer.toString(MAX_ENTRIES),
                    minute ? Long.toString(slot.time() / 60) : "",
                    Long.toString(slot.service(Row.GOOD)),
                    Long.toString(slot.service(Row.BAD)),
                    Integer.toString(Hours.KEPT));
            String entry = String.valueOf(reply.get(1));
            if (!entry.isEmpty() && isBefore(entry, lastRead.getOrDefault(slot.span(), "0-0"))) {
                lastRead.put(slot.span(), "0-0"); // this Redis has begun anew, with an earlier clock
            }
            if (((Number) reply.get(2)).longValue() == 0) {
                ownNames = null;
                namesHash(redis, slot);
            }
            return ((Number) reply.get(0)).longValue();
        });
    }

    /** The hash of the names of a slot, which are in Redis when this returns, unless it was emptied within the minute. */
    private String namesHash(RedisClusterCommands<String, String> redis, SharedSlot slot) {
        long minute = slot.span() == SharedSlot.Span.MINUTE ? slot.time() : slot.time() / 60;
        if (!slot.names().equals(ownNames) || minute != ownNamesMinute) {
            String json = new JsonArray(slot.names()).encode();
            ownHash = hash(json);
            redis.set(namesKey(ownHash), json, SetArgs.Builder.ex(NAMES_EXPIRE_SECONDS));
            ownNames = slot.names();
            ownNamesMinute = minute;
        }
        return ownHash;
    }

    @Override
    public List<SharedSlot> news() {
        return call(redis -> {
            List<SharedSlot> slots = new ArrayList<>();
            for (SharedSlot.Span span : SharedSlot.Span.values()) {
                read(redis, span, slots);
            }
            return slots;
        });
    }

    private void read(RedisClusterCommands<String, String> redis, SharedSlot.Span span, List<SharedSlot> into) {
        for (int page = 0; page < MAX_PAGES; page++) {
            Range<String> after = Range.from(
                    Range.Boundary.excluding(lastRead.getOrDefault(span, "0-0")), Range.Boundary.unbounded());
            List<StreamMessage<String, String>> entries = redis.xrange(stream(span), after, Limit.create(0, PAGE));
            for (StreamMessage<String, String> entry : entries) {
                lastRead.put(span, entry.getId());
                if (!id.equals(entry.getBody().get("s"))) {
                    slot(redis, span, entry.getBody(), into);
                }
            }
            if (entries.size() < PAGE) {
                return;
            }
        }
    }

    /** Adds an entry. One that cannot be read is left out: it was written by somebody else, or by another version. */
    private void slot(
            RedisClusterCommands<String, String> redis,
            SharedSlot.Span span,
            Map<String, String> entry,
            List<SharedSlot> into) {
        try {
            List<String> rules = names(redis, String.valueOf(entry.get("n")));
            Slot slot = Slot.parse(Base64.getDecoder().decode(String.valueOf(entry.get("f"))));
            into.add(new SharedSlot(span, Long.parseLong(entry.get("t")), rules, slot));
        } catch (IllegalArgumentException | ClassCastException e) {
            LOG.log(System.Logger.Level.DEBUG, "an entry of {0} cannot be read: {1}", stream(span), e.getMessage());
        }
    }

    private List<String> names(RedisClusterCommands<String, String> redis, String hash) {
        List<String> known = names.get(hash);
        if (known != null) {
            return known;
        }
        String json = redis.get(namesKey(hash));
        List<String> read = json == null
                ? List.of()
                : new JsonArray(json)
                        .stream().map(String::valueOf).limit(MAX_NAMES).toList();
        if (json != null) {
            if (names.size() >= MAX_NAME_LISTS) {
                names.remove(names.keySet().iterator().next());
            }
            names.put(hash, read);
        }
        return read;
    }

    @Override
    public void announce(FleetServer self) {
        call(redis -> {
            redis.hset(base + ":servers", id, self.json().encode());
            return redis.expire(base + ":servers", SERVER_KEPT_SECONDS);
        });
    }

    @Override
    public List<FleetServer> others(long nowSeconds) {
        return call(redis -> {
            List<FleetServer> servers = new ArrayList<>();
            redis.hgetall(base + ":servers").forEach((name, json) -> {
                FleetServer server = server(name, json);
                boolean known = server != null && Math.abs(nowSeconds - server.seen()) <= SERVER_KEPT_SECONDS;
                if (server == null || !known) {
                    redis.hdel(base + ":servers", name);
                } else if (!name.equals(id) && servers.size() < MAX_SERVERS) {
                    servers.add(server);
                }
            });
            return servers;
        });
    }

    private static @Nullable FleetServer server(String name, String json) {
        try {
            return FleetServer.of(name, new JsonObject(json));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "server {0} cannot be read: {1}", name, e.getMessage());
            return null;
        }
    }

    @Override
    public ByHour hours() {
        return call(redis -> {
            Map<Long, long[]> hours = new HashMap<>();
            Map<String, String> fields = redis.hgetall(base + ":hours");
            fields.forEach((field, count) -> {
                int colon = field.indexOf(':');
                if (colon > 0) {
                    long[] counts =
                            hours.computeIfAbsent(Long.parseLong(field.substring(0, colon)), hour -> new long[2]);
                    counts[field.endsWith("good") ? Row.GOOD : Row.BAD] = Long.parseLong(count);
                }
            });
            return new ByHour(Long.parseLong(fields.getOrDefault("since", "0")), hours);
        });
    }

    @Override
    public void close() {
        connection.close();
    }

    private String namesKey(String hash) {
        return base + ":names:" + hash;
    }

    private String stream(SharedSlot.Span span) {
        return base + (span == SharedSlot.Span.SECOND ? ":seconds" : ":minutes");
    }

    private <T> T call(Function<RedisClusterCommands<String, String>, T> command) {
        try {
            return command.apply(connection.commands());
        } catch (RedisException e) {
            connection.drop();
            throw new UnreachableException("Redis does not answer: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new UnreachableException("what is in " + base + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static boolean isBefore(String one, String other) {
        String[] a = one.split("-", 2);
        String[] b = other.split("-", 2);
        int byTime = new BigInteger(a[0]).compareTo(new BigInteger(b[0]));
        return byTime < 0 || (byTime == 0 && new BigInteger(a[1]).compareTo(new BigInteger(b[1])) < 0);
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            return String.format("%064x", new BigInteger(1, digest)).substring(0, 24);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String script(String name) {
        try (InputStream in = RedisHistory.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not in this build: " + name);
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
