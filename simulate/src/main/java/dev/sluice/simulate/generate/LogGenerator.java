package dev.sluice.simulate.generate;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * Generates the requests of a plan: clients of all kinds, each of which makes one request after another.
 *
 * <p>How often people come follows Zipf's law: a few come often, most come seldom. At two moments of the log something
 * sends many of them to the site at once; that is no abuse. Memory grows with the number of clients and not with that of
 * the requests.
 */
public final class LogGenerator {
    private static final double SECOND = 1_000_000;
    private static final int BURSTS = 2;
    private static final int OFFICES_PER_CLIENTS = 100;
    private static final int ATTACKERS_PER_CLIENTS = 250;
    private static final int APPS_PER_CLIENTS = 500;
    private static final int CRAWLERS_PER_CLIENTS = 1000;
    private static final int PARTNERS_PER_CLIENTS = 2000;

    private final LogPlan plan;
    private final Dice dice;
    private final DayCurve day;
    private final long durationMicros;
    private final long addressOffset;
    private final long[] bursts = new long[BURSTS];
    private final List<Client> clients = new ArrayList<>();
    private final PriorityQueue<Client.Actor> actors =
            new PriorityQueue<>(Comparator.comparingLong(actor -> actor.nextMicros));

    private int people;

    private LogGenerator(LogPlan plan) {
        this.plan = plan;
        this.dice = new Dice(plan.seed());
        this.durationMicros = TimeUnit.MICROSECONDS.convert(plan.duration());
        this.day = new DayCurve(
                TimeUnit.MICROSECONDS.convert(Duration.between(Instant.EPOCH, plan.start())), durationMicros);
        this.addressOffset = dice.below(1L << 22);
        Arrays.setAll(bursts, i -> day.startMicros() + (long) (durationMicros * dice.between(0.3, 0.9)));
    }

    /**
     * Generates a log.
     *
     * @return the truth about each client that made a request, in the order of their addresses in the plan
     */
    public static List<GeneratedClient> generate(LogPlan plan, LogSink sink) throws IOException {
        LogGenerator generator = new LogGenerator(plan);
        generator.people();
        generator.programs();
        generator.abuse();
        generator.run(sink);
        return generator.clients.stream()
                .filter(client -> client.requests() > 0)
                .map(Client::truth)
                .toList();
    }

    private void run(LogSink sink) throws IOException {
        while (!actors.isEmpty()) {
            Client.Actor actor = actors.remove();
            if (actor.nextMicros < day.endMicros()) {
                actor.act(sink);
                actors.add(actor);
            }
        }
    }

    // ---- People

    private void people() {
        int offices = plan.has(ClientKind.OFFICE) ? plan.clients() / OFFICES_PER_CLIENTS : 0;
        int count = plan.has(ClientKind.PERSON) ? Math.max(1, plan.clients() - offices) : 0;
        double flatness = 5 + count / 50.0;
        double sum = 0;
        for (int rank = 1; rank <= count; rank++) {
            sum += 1 / (rank + flatness);
        }
        for (int rank = 1; rank <= count; rank++) {
            double requests = requests(ClientKind.PERSON) / (rank + flatness) / sum;
            person(client(ClientKind.PERSON), requests);
        }
        for (int i = 0; i < offices; i++) {
            Client office = client(ClientKind.OFFICE);
            int members = 5 + dice.below(20);
            for (int member = 0; member < members; member++) {
                person(office, requests(ClientKind.OFFICE) / offices / members);
            }
        }
    }

    private void person(Client client, double requests) {
        double sessions = requests / Person.REQUESTS_PER_SESSION;
        String user = dice.chance(0.2) ? "user" + people : "";
        people++;
        actors.add(new Person(client, dice.split(), day, durationMicros / sessions, visits(), user));
    }

    /** When a person comes because of something that many heard of: one in ten does, within a few minutes. */
    private long[] visits() {
        return Arrays.stream(bursts)
                .filter(burst -> dice.chance(0.1))
                .map(burst -> burst + dice.exponential(60 * SECOND))
                .sorted()
                .toArray();
    }

    // ---- Programs

    private void programs() {
        long start = day.startMicros();
        int partners = 2 + plan.clients() / PARTNERS_PER_CLIENTS;
        int crawlers = 2 + plan.clients() / CRAWLERS_PER_CLIENTS;
        for (int i = 0; i < count(ClientKind.MONITOR, 2); i++) {
            long interval = Math.max((long) (30 * SECOND), (long) interval(ClientKind.MONITOR, 2));
            actors.add(new Programs.Monitor(client(ClientKind.MONITOR), dice.split(), start, interval));
        }
        for (int i = 0; i < count(ClientKind.PARTNER, partners); i++) {
            long interval = (long) (interval(ClientKind.PARTNER, partners) * dice.between(0.7, 1.5));
            actors.add(new Programs.Partner(
                    client(ClientKind.PARTNER), dice.split(), start, Math.max(1, interval), "partner" + i));
        }
        for (int i = 0; i < count(ClientKind.CRAWLER, crawlers); i++) {
            double interval = interval(ClientKind.CRAWLER, crawlers) * dice.between(0.7, 1.5);
            String agent = Site.CRAWLERS.get(i % Site.CRAWLERS.size());
            actors.add(new Programs.Crawler(client(ClientKind.CRAWLER), dice.split(), start, interval, agent));
        }
    }

    // ---- Abuse

    private void abuse() {
        int attackers = count(ClientKind.CREDENTIAL_STUFFING, Math.max(4, plan.clients() / ATTACKERS_PER_CLIENTS));
        double tries = requests(ClientKind.CREDENTIAL_STUFFING) / Math.max(1, attackers);
        // An hour of a day, and shorter if that would be less than one try in two seconds.
        long attack = (long) Math.min(durationMicros / 24.0, tries * 2 * SECOND);
        long start = day.startMicros() + (long) (durationMicros * dice.between(0.1, 0.8));
        for (int i = 0; i < attackers; i++) {
            actors.add(new Programs.Attacker(
                    client(ClientKind.CREDENTIAL_STUFFING), dice.split(), start, start + attack, attack / tries));
        }
        int apps = count(ClientKind.RETRY_STORM, Math.max(3, plan.clients() / APPS_PER_CLIENTS));
        double retries = requests(ClientKind.RETRY_STORM) / Math.max(1, apps);
        long storm = (long) Math.min(durationMicros / 20.0, retries * 0.2 * SECOND);
        long outage = day.startMicros() + (long) (durationMicros * dice.between(0.1, 0.8));
        for (int i = 0; i < apps; i++) {
            actors.add(new Programs.RetryingApp(
                    client(ClientKind.RETRY_STORM), dice.split(), outage, outage + storm, storm / retries));
        }
    }

    // ---- How many, how often

    private int count(ClientKind kind, int count) {
        return plan.has(kind) ? count : 0;
    }

    /** How many requests all clients of a kind make. */
    private double requests(ClientKind kind) {
        double shares = 0;
        for (ClientKind each : ClientKind.values()) {
            shares += plan.has(each) ? each.share() : 0;
        }
        return plan.lines() * kind.share() / shares;
    }

    /** The time between two requests of a client of a kind that is there all the time. */
    private double interval(ClientKind kind, int count) {
        return durationMicros * (double) count / requests(kind);
    }

    /** A new client with an address of its own, in the range that is shared by customers of networks. */
    private Client client(ClientKind kind) {
        long place = (clients.size() * 2_654_435_761L + addressOffset) & (1L << 22) - 1;
        long address = (100L << 24) + (64L << 16) + place;
        Client client = new Client(
                (address >> 24) + "." + (address >> 16 & 255) + "." + (address >> 8 & 255) + "." + (address & 255),
                kind);
        clients.add(client);
        return client;
    }
}
