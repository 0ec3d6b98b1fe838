package dev.sluice.spring.kotlin

import dev.sluice.spring.RateLimit
import dev.sluice.spring.RateLimitedException
import dev.sluice.spring.RuleAttribute
import dev.sluice.spring.web.RefusalCustomizer
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.boot.test.web.server.LocalServerPort
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.http.MediaType
import org.springframework.stereotype.Service
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.RestController
import org.springframework.web.server.ServerWebExchange
import java.net.Socket
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

/** Limits on suspending functions and on functions that return a `Flow`, called from Kotlin and over HTTP. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = [
        "sluice.rules[0].name=tenants",
        "sluice.rules[0].when.path=/tenant",
        "sluice.rules[0].key[0]=tenant",
        "sluice.rules[0].limits[0]=1 per 1h sliding-log",
    ],
)
class SuspendingFunctionsTest(@param:Autowired val shop: Shop, @param:LocalServerPort val port: Int) {
    private val client = HttpClient.newHttpClient()

    @Test
    fun `a denied call runs the suspending fallback in the context of the caller`() = runBlocking<Unit> {
        withContext(CoroutineName("caller")) {
            assertThat(shop.price("tea")).isEqualTo("price of tea for caller")
            assertThat(shop.price("tea")).isEqualTo("old price of tea for caller, over Shop.price")
            assertThat(shop.price("milk")).isEqualTo("price of milk for caller")
        }
    }

    @Test
    fun `a function that does not suspend can be the fallback`() = runBlocking<Unit> {
        assertThat(shop.count(1)).isEqualTo(1)
        assertThat(shop.count(1)).isEqualTo(-1)
    }

    @Test
    fun `a fallback may always throw`() = runBlocking<Unit> {
        shop.order(1)
        assertThat(assertThrows<IllegalStateException> { shop.order(1) }).hasMessage("closed")
    }

    @Test
    fun `a denied call without a fallback throws, and null is a result`() = runBlocking<Unit> {
        assertThat(shop.find("nobody")).isNull()
        val denied = assertThrows<RateLimitedException> { shop.find("nobody") }
        assertThat(denied.rule()).isEqualTo("Shop.find")
    }

    @Test
    fun `permits are held until the function has returned or thrown`() = runBlocking<Unit> {
        val gate = CompletableDeferred<Unit>()
        val first = async { shop.alone("returns") { gate.await() } }
        awaitRunning("returns")
        assertThrows<RateLimitedException> { shop.alone("returns") {} }
        gate.complete(Unit)
        first.await()
        shop.alone("returns") {}
        repeat(2) { assertThrows<IllegalStateException> { shop.alone("throws") { error("broken") } } }
    }

    @Test
    fun `permits are held until the function is cancelled`() = runBlocking<Unit> {
        val job = launch { shop.alone("cancelled") { awaitCancellation() } }
        awaitRunning("cancelled")
        job.cancelAndJoin()
        assertThat(withTimeoutOrNull(50) { shop.alone("cancelled") { awaitCancellation() } }).isNull()
        repeat(2) {
            assertThat(runCatching { shop.alone("cancelled") { withTimeout(10) { awaitCancellation() } } }.isFailure).isTrue()
        }
        shop.alone("cancelled") {}
    }

    @Test
    fun `permits are held until a flow has ended, failed or was left`() = runBlocking<Unit> {
        val gate = CompletableDeferred<Unit>()
        val flow = shop.ticks("flow", gate)
        val all = async { flow.toList() }
        awaitRunning("flow")
        assertThrows<RateLimitedException> { shop.ticks("flow", gate).toList() }
        gate.complete(Unit)
        assertThat(all.await()).containsExactly(1, 2, 3)
        assertThat(flow.toList()).containsExactly(1, 2, 3)
        assertThat(flow.first()).isEqualTo(1)
        repeat(2) { assertThrows<IllegalStateException> { shop.ticks("failing", gate).toList() } }
        val left = launch { shop.ticks("flow", CompletableDeferred()).toList() }
        awaitRunning("flow")
        left.cancelAndJoin()
        assertThat(shop.ticks("flow", gate).toList()).containsExactly(1, 2, 3)
    }

    @Test
    fun `permits are held until a flow that comes later has ended`() = runBlocking<Unit> {
        val gate = CompletableDeferred<Unit>()
        val all = async { shop.later("later", gate).toList() }
        awaitRunning("later")
        assertThrows<RateLimitedException> { shop.later("later", gate).toList() }
        gate.complete(Unit)
        assertThat(all.await()).containsExactly(1, 2, 3)
        assertThat(shop.later("later", gate).toList()).containsExactly(1, 2, 3)
    }

    @Test
    fun `permits are free when the client hangs up`() = runBlocking<Unit> {
        for (key in listOf("slow", "stream")) {
            repeat(2) {
                Socket("127.0.0.1", port).use {
                    it.getOutputStream().write("GET /$key/$key HTTP/1.1\r\nHost: shop\r\n\r\n".toByteArray())
                    awaitRunning(key)
                    assertThat(get("/$key/$key").statusCode()).isEqualTo(429)
                }
                withTimeout(60_000) { while (shop.running(key)) delay(5) }
            }
        }
    }

    @Test
    fun `attributes and refusals are written in Kotlin`() {
        assertThat(get("/tenant", "X-Tenant" to "acme").statusCode()).isEqualTo(200)
        val refused = get("/tenant", "X-Tenant" to "acme", "Accept" to "text/html")
        assertThat(refused.statusCode()).isEqualTo(429)
        assertThat(refused.body()).isEqualTo("<h1>Too fast</h1>")
        assertThat(get("/tenant").statusCode()).isEqualTo(200)
    }

    private suspend fun awaitRunning(key: String) = withTimeout(60_000) { while (!shop.running(key)) delay(5) }

    private fun get(path: String, vararg headers: Pair<String, String>): HttpResponse<String> {
        val request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:$port$path"))
        headers.forEach { (name, value) -> request.header(name, value) }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString())
    }

    @Service
    class Shop {
        private val running = ConcurrentHashMap<String, AtomicInteger>()

        fun running(key: String) = (running[key]?.get() ?: 0) > 0

        @RateLimit("1 per 1h sliding-log", key = "#item", fallback = "oldPrice")
        suspend fun price(item: String): String {
            delay(1)
            return "price of $item for ${name()}"
        }

        @Suppress("unused")
        private suspend fun oldPrice(item: String, why: RateLimitedException): String {
            delay(1)
            return "old price of $item for ${name()}, over ${why.rule()}"
        }

        private suspend fun name() = currentCoroutineContext()[CoroutineName]?.name

        @RateLimit("1 per 1h sliding-log", fallback = "noCount")
        suspend fun count(permits: Int): Int = permits

        fun noCount(permits: Int): Int = -permits

        @RateLimit("1 per 1h sliding-log", fallback = "closed")
        suspend fun order(item: Int): Int = item

        @Suppress("unused")
        fun closed(item: Int): Nothing = error("closed")

        @RateLimit("1 per 1h sliding-log", key = "#name")
        suspend fun find(name: String): String? = null

        @RateLimit("1 at once", key = "#key", name = "alone")
        suspend fun alone(key: String, work: suspend () -> Unit) = count(key) { work() }

        @RateLimit("1 at once", key = "#key")
        fun ticks(key: String, gate: Deferred<Unit>): Flow<Int> = flow {
            count(key) {
                for (i in 1..3) {
                    gate.await()
                    check(key != "failing" || i == 1) { "broken" }
                    emit(i)
                }
            }
        }

        @RateLimit("1 at once", key = "#key")
        suspend fun later(key: String, gate: Deferred<Unit>): Flow<Int> {
            delay(1)
            return flow {
                count(key) {
                    for (i in 1..3) {
                        gate.await()
                        emit(i)
                    }
                }
            }
        }

        private suspend fun count(key: String, work: suspend () -> Unit) {
            val calls = running.computeIfAbsent(key) { AtomicInteger() }
            calls.incrementAndGet()
            try {
                work()
            } finally {
                calls.decrementAndGet()
            }
        }
    }

    @RestController
    class Pages(private val shop: Shop) {
        @GetMapping("/slow/{key}")
        suspend fun slow(@PathVariable key: String): String {
            shop.alone(key) { awaitCancellation() }
            return key
        }

        @GetMapping("/stream/{key}", produces = [MediaType.APPLICATION_NDJSON_VALUE])
        fun stream(@PathVariable key: String): Flow<Int> = shop.ticks(key, CompletableDeferred())

        @GetMapping("/tenant")
        suspend fun tenant() = "tenant"
    }

    @Configuration
    @EnableAutoConfiguration
    class App {
        @Bean
        fun shop() = Shop()

        @Bean
        fun pages(shop: Shop) = Pages(shop)

        @Bean
        fun tenant(): RuleAttribute<ServerWebExchange> =
            RuleAttribute.of("tenant") { exchange -> exchange.request.headers.getFirst("X-Tenant") }

        @Bean
        fun page() = RefusalCustomizer { refusal, request ->
            if (request.prefers(MediaType.TEXT_HTML)) refusal.withBody(MediaType.TEXT_HTML, "<h1>Too fast</h1>") else refusal
        }
    }
}
