package dev.sluice.server;

import dev.sluice.server.admin.AdminTokens;
import dev.sluice.server.admin.AuditLog;
import dev.sluice.server.check.HeaderFields;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.history.HistorySettings;
import dev.sluice.server.record.RecorderSettings;
import dev.sluice.server.ruleset.InitialRules;
import dev.sluice.server.tls.TlsFiles;
import dev.sluice.server.trace.CheckTracer;
import dev.sluice.server.web.Bounds;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The settings of a server. They do not change: what sets one of them returns other settings. */
public final class ServerSettings {
    /**
     * The address that a port listens on.
     *
     * @param port 0 takes a free one
     * @param tls the files for TLS; null for none
     */
    public record Address(String host, int port, @Nullable TlsFiles tls) {
        /** Every address of this machine. */
        public static final String ALL = "0.0.0.0";

        /** The address that only this machine can reach. */
        public static final String LOOPBACK = "127.0.0.1";

        /** Without TLS. */
        public Address(String host, int port) {
            this(host, port, null);
        }

        /** The URL under which this machine reaches a port that listens here. */
        public String url(int port) {
            boolean every = host.equals(ALL) || host.equals("::");
            String name = every ? LOOPBACK : host.indexOf(':') >= 0 ? "[" + host + "]" : host;
            return (tls == null ? "http://" : "https://") + name + ":" + port;
        }
    }

    /**
     * How a Redis is used.
     *
     * @param prefix the prefix of all keys
     * @param timeout how long to wait for an answer
     */
    public record Redis(String prefix, Duration timeout) {
        static final Redis DEFAULTS = new Redis("sluice", Duration.ofMillis(50));
    }

    private static final Address FREE_PORT = new Address(Address.LOOPBACK, 0);
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(10);

    private final InitialRules rules;
    private @Nullable String store;
    private @Nullable String memory;
    private Redis redis = Redis.DEFAULTS;
    private Address data = FREE_PORT;
    private Address admin = FREE_PORT;
    private AdminTokens tokens = AdminTokens.none();
    private AuditLog audit = AuditLog.to(System.out);
    private @Nullable EnvoyFolder envoy;
    private Bounds bounds = Bounds.DEFAULTS;
    private Duration drain = Duration.ZERO;
    private Duration grace = DEFAULT_GRACE;
    private HeaderFields fields = HeaderFields.STANDARD;
    private @Nullable CheckTracer tracer;
    private @Nullable RecorderSettings recorder;
    private double availabilityTarget = HistorySettings.DEFAULT_TARGET;

    private ServerSettings(InitialRules rules) {
        this.rules = rules;
    }

    /** These rules, in the store they name, on two free ports of the loopback address. */
    public static ServerSettings of(InitialRules rules) {
        return new ServerSettings(rules);
    }

    private ServerSettings with(Consumer<ServerSettings> change) {
        ServerSettings copy = new ServerSettings(rules);
        copy.store = store;
        copy.memory = memory;
        copy.redis = redis;
        copy.data = data;
        copy.admin = admin;
        copy.tokens = tokens;
        copy.audit = audit;
        copy.envoy = envoy;
        copy.bounds = bounds;
        copy.drain = drain;
        copy.grace = grace;
        copy.fields = fields;
        copy.tracer = tracer;
        copy.recorder = recorder;
        copy.availabilityTarget = availabilityTarget;
        change.accept(copy);
        return copy;
    }

    /** The rules it starts with. */
    public InitialRules rules() {
        return rules;
    }

    /** The store of the counters: {@code memory}, or the URL of a Redis; null: the store that the rules name. */
    public @Nullable String store() {
        return store;
    }

    /**
     * The bound on the bytes of this process that counters take, such as {@code 256MB} or {@code 25%}; null: what the
     * rules say.
     */
    public @Nullable String memory() {
        return memory;
    }

    /** How a Redis is used. */
    public Redis redis() {
        return redis;
    }

    /** The address of the data port. */
    public Address data() {
        return data;
    }

    /** The address of the admin port. */
    public Address admin() {
        return admin;
    }

    /** The tokens for the admin port. */
    public AdminTokens tokens() {
        return tokens;
    }

    /** Records changes made over the admin port; the server closes it. */
    public AuditLog audit() {
        return audit;
    }

    /** The limits for Envoy, which the server closes; null: the rules. */
    public @Nullable EnvoyFolder envoy() {
        return envoy;
    }

    /** How much clients may use of the server. */
    public Bounds bounds() {
        return bounds;
    }

    /** How long the server goes on after it has said that it is not ready any more, before it closes its ports. */
    public Duration drain() {
        return drain;
    }

    /** How long requests under way may take when the server stops. */
    public Duration grace() {
        return grace;
    }

    /** Which header fields show a client its limits. */
    public HeaderFields fields() {
        return fields;
    }

    /** Makes a span of every check, and is closed by the server; null for no traces. */
    public @Nullable CheckTracer tracer() {
        return tracer;
    }

    /** What is recorded of requests; null for nothing. */
    public @Nullable RecorderSettings recorder() {
        return recorder;
    }

    /** The part of requests that should be decided as they should: more than 0, less than 1. */
    public double availabilityTarget() {
        return availabilityTarget;
    }

    // ---- Other settings

    public ServerSettings store(@Nullable String store) {
        return with(copy -> copy.store = store);
    }

    public ServerSettings memory(@Nullable String memory) {
        return with(copy -> copy.memory = memory);
    }

    public ServerSettings redis(Redis redis) {
        return with(copy -> copy.redis = redis);
    }

    public ServerSettings at(Address data, Address admin) {
        return with(copy -> {
            copy.data = data;
            copy.admin = admin;
        });
    }

    public ServerSettings guarded(AdminTokens tokens, AuditLog audit) {
        return with(copy -> {
            copy.tokens = tokens;
            copy.audit = audit;
        });
    }

    public ServerSettings envoy(@Nullable EnvoyFolder envoy) {
        return with(copy -> copy.envoy = envoy);
    }

    public ServerSettings bounds(Bounds bounds) {
        return with(copy -> copy.bounds = bounds);
    }

    public ServerSettings drain(Duration drain) {
        return with(copy -> copy.drain = drain);
    }

    public ServerSettings grace(Duration grace) {
        return with(copy -> copy.grace = grace);
    }

    public ServerSettings fields(HeaderFields fields) {
        return with(copy -> copy.fields = fields);
    }

    public ServerSettings tracer(@Nullable CheckTracer tracer) {
        return with(copy -> copy.tracer = tracer);
    }

    public ServerSettings recorder(@Nullable RecorderSettings recorder) {
        return with(copy -> copy.recorder = recorder);
    }

    public ServerSettings availabilityTarget(double target) {
        return with(copy -> copy.availabilityTarget = target);
    }
}
