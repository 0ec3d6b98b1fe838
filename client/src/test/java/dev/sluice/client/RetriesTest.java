package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class RetriesTest {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Queue<String> answers = new ArrayDeque<>();
    private final FakeServer server = new FakeServer((request, socket) -> {
        String answer = answers.isEmpty() ? "200" : answers.remove();
        String[] words = answer.split(" ", 2);
        String field = words.length < 2 ? "" : "Retry-After: " + words[1] + "\r\n";
        FakeServer.write(socket, "HTTP/1.1 " + words[0] + " Status\r\n" + field + "Content-Length: 4\r\n\r\nbody");
    });
    private final Retries retries = Retries.on(CLIENT);

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpRequest.Builder request() {
        return HttpRequest.newBuilder(URI.create(server.url()));
    }

    /** What the server says in turn, how often it was asked, and what came out in the end. */
    @ParameterizedTest
    @CsvSource({
        "GET,  200,                             1, 200",
        "GET,  429 0,                           2, 200",
        "PUT,  503 0,                           2, 200",
        "GET,  429 0;503 0;429 0,               4, 200",
        "GET,  429 0;429 0;429 0;429 0;429 0,   4, 429",
        "POST, 429 0,                           1, 429",
        "POST, 503 0,                           1, 503",
        "GET,  429,                             1, 429",
        "GET,  429 3600,                        1, 429",
        "GET,  500 0,                           1, 500",
    })
    void aCallIsSentAgainWhereItHelps(String method, String said, int times, int status) throws Exception {
        HttpRequest request =
                request().method(method, BodyPublishers.ofString("sent")).build();
        answers.addAll(List.of(said.split(";")));
        HttpResponse<String> response = retries.send(request, BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).isEqualTo("body");
        assertThat(server.requests).hasSize(times).allMatch(sent -> sent.endsWith("sent"));

        server.requests.clear();
        answers.clear();
        answers.addAll(List.of(said.split(";")));
        response = retries.sendAsync(request, BodyHandlers.ofString()).join();
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).isEqualTo("body");
        assertThat(server.requests).hasSize(times).allMatch(sent -> sent.endsWith("sent"));
    }

    @Test
    void aKeyMakesAPostRepeatable() throws Exception {
        answers.add("429 0");
        HttpRequest request = request()
                .header("Idempotency-Key", "\"8e03978e\"")
                .POST(BodyPublishers.ofString("order"))
                .build();
        assertThat(retries.send(request, BodyHandlers.discarding()).statusCode())
                .isEqualTo(200);
    }

    @Test
    void aBodyThatMayBeThereOnlyOnceIsSentOnce() throws Exception {
        answers.add("503 0");
        ByteArrayInputStream once = new ByteArrayInputStream(new byte[10]);
        HttpRequest request =
                request().PUT(BodyPublishers.ofInputStream(() -> once)).build();
        FakeServer.Answer chunked = (sent, socket) -> {
            StringBuilder body = new StringBuilder();
            while (body.indexOf("\r\n0\r\n\r\n") < 0) {
                body.append((char) socket.getInputStream().read());
            }
            FakeServer.write(socket, "HTTP/1.1 503 Status\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n");
        };
        server.answer(chunked);
        assertThat(retries.send(request, BodyHandlers.discarding()).statusCode())
                .isEqualTo(503);
        assertThat(server.requests).hasSize(1);
    }

    @Test
    void whenTheBudgetIsSpentTheRefusalIsTheAnswer() throws Exception {
        Retries poor = retries.rules(RetryRules.standard().budget(RetryBudget.of(2, 0)));
        answers.addAll(List.of("429 0", "429 0", "429 0", "429 0"));
        HttpResponse<String> response = poor.send(request().build(), BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(server.requests).hasSize(3);
        assertThat(poor.sendAsync(request().build(), BodyHandlers.ofString())
                        .join()
                        .statusCode())
                .isEqualTo(429);
        assertThat(server.requests).hasSize(4);
    }

    /** A refusal with a body that never ends is not read. */
    @Test
    void theBodyOfARefusalIsNotWaitedFor() throws Exception {
        server.answer((request, socket) -> {
            FakeServer.write(socket, "HTTP/1.1 503 Status\r\nRetry-After: 0\r\nContent-Length: 1000000\r\n\r\nbegins");
            server.answer((second, other) -> FakeServer.write(other, FakeServer.http(200, "body")));
            FakeServer.SILENT.to(request, socket);
        });
        assertThat(retries.send(request().build(), BodyHandlers.ofString()).body())
                .isEqualTo("body");
    }

    /** Or each refusal would leave a connection behind, for as long as the server likes. */
    @Test
    void aRefusalWhoseBodyDoesNotEndLosesItsConnection() throws Exception {
        FakeServer.Answer stalls = (request, socket) -> {
            FakeServer.write(socket, "HTTP/1.1 503 Status\r\nRetry-After: 0\r\nContent-Length: 1000000\r\n\r\nbegins");
            FakeServer.SILENT.to(request, socket);
        };
        FakeServer.Answer twice = (request, socket) -> {
            if (server.requests.size() % 3 == 0) {
                FakeServer.write(socket, FakeServer.http(200, "body"));
            } else {
                stalls.to(request, socket);
            }
        };
        server.answer(twice);
        assertThat(retries.send(request().build(), BodyHandlers.ofString()).body())
                .isEqualTo("body");
        awaitHangUps(2);
        assertThat(retries.sendAsync(request().build(), BodyHandlers.ofString())
                        .join()
                        .body())
                .isEqualTo("body");
        awaitHangUps(4);
    }

    @Test
    void cancellingTheWaitClosesTheConnectionOfTheRefusal() throws Exception {
        server.answer((request, socket) -> {
            FakeServer.write(socket, "HTTP/1.1 503 Status\r\nRetry-After: 20\r\nContent-Length: 1000000\r\n\r\nbegins");
            FakeServer.SILENT.to(request, socket);
        });
        RetryBudget budget = RetryBudget.of(2, 0);
        Retries waits = retries.rules(RetryRules.standard().budget(budget));
        CompletableFuture<HttpResponse<String>> waiting =
                waits.sendAsync(request().build(), BodyHandlers.ofString());
        await(() -> budget.remaining() == 1); // the refusal has come
        waiting.cancel(true);
        awaitHangUps(1);
    }

    @Test
    void cancellingEndsTheWaitAndTheTry() throws InterruptedException {
        answers.add("429 20");
        CompletableFuture<HttpResponse<String>> waiting =
                retries.sendAsync(request().build(), BodyHandlers.ofString());
        awaitRequests(1);
        waiting.cancel(true);
        server.answer(FakeServer.SILENT);
        CompletableFuture<HttpResponse<String>> under =
                retries.sendAsync(request().build(), BodyHandlers.ofString());
        awaitRequests(2);
        int before = server.hungUp.get();
        under.cancel(true);
        awaitHangUps(before + 1);
        assertThat(server.requests).hasSize(2);
    }

    private void awaitRequests(int count) throws InterruptedException {
        await(() -> server.requests.size() >= count);
    }

    private void awaitHangUps(int count) throws InterruptedException {
        await(() -> server.hungUp.get() >= count);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    @Test
    void anInterruptEndsTheWait() throws IOException {
        answers.add("429 20");
        Thread self = Thread.currentThread();
        Thread other = new Thread(() -> {
            try {
                awaitRequests(1);
            } catch (InterruptedException e) {
                return;
            }
            self.interrupt();
        });
        other.start();
        assertThatThrownBy(() -> retries.send(request().build(), BodyHandlers.ofString()))
                .isInstanceOf(InterruptedException.class);
        assertThat(server.requests).hasSize(1);
    }

    @Test
    void aConnectionThatBreaksIsTheCallersMatter() {
        server.answer((request, socket) -> socket.close());
        HttpRequest put = request().PUT(BodyPublishers.ofString("x")).build();
        assertThatThrownBy(() -> retries.send(put, BodyHandlers.ofString())).isInstanceOf(IOException.class);
        assertThat(server.requests).hasSize(1);
    }
}
