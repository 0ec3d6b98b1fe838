package dev.sluice.spring.kotlin

import dev.sluice.spring.RateLimit
import dev.sluice.spring.RateLimitConfigurationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.MethodSource
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.http.ResponseEntity
import org.springframework.stereotype.Service
import reactor.core.publisher.Mono
import java.util.concurrent.CompletableFuture

/** Which functions can have limits is found when the application starts. */
class FunctionChecksTest {
    @ParameterizedTest
    @MethodSource("mistakes")
    fun `the message names the function and the reason`(type: Class<*>, message: String) {
        val failure = assertThrows<Throwable> { start(type).close() }
        val reasons = generateSequence(failure) { it.cause }.filterIsInstance<RateLimitConfigurationException>()
        assertThat(reasons.firstOrNull()).hasMessageContaining(message)
    }

    private fun start(type: Class<*>): ConfigurableApplicationContext =
        SpringApplicationBuilder(App::class.java, type)
            .web(WebApplicationType.NONE)
            .properties("spring.main.banner-mode=off", "logging.level.root=OFF")
            .run()

    @EnableAutoConfiguration
    class App

    @Service
    class Endless {
        @RateLimit("1 per 1m")
        suspend fun run(): Nothing = throw IllegalStateException("the end")
    }

    @Service
    class Body {
        @RateLimit("1 at once")
        suspend fun run(): ResponseEntity<Flow<String>> = ResponseEntity.ok(flowOf("a"))
    }

    @Service
    class Publisher {
        @RateLimit("1 per 1m")
        suspend fun run(item: String): Mono<String> = Mono.just(item)
    }

    @Service
    class Future {
        @RateLimit("1 at once")
        suspend fun run(): CompletableFuture<String> = CompletableFuture()
    }

    @Service
    class Job {
        @RateLimit("1 at once")
        fun run(): Deferred<String> = CompletableDeferred()
    }

    @Service
    class OtherFallback {
        @RateLimit("1 per 1m", fallback = "other")
        suspend fun run(item: String): Int = item.length

        suspend fun other(item: String): String = item
    }

    @Service
    class Final {
        @RateLimit("1 per 1m")
        final suspend fun run(item: String) = item
    }

    companion object {
        @JvmStatic
        fun mistakes() = listOf(
            arrayOf(Endless::class.java, "Endless.run(): it returns Nothing, and Spring cannot call such a function"),
            arrayOf(Body::class.java, "Body.run(): permits that are held until the call is done: the body is written"),
            arrayOf(Publisher::class.java, "Publisher.run(String): it suspends, and then returns a Mono that goes on"),
            arrayOf(Future::class.java, "Future.run(): it suspends, and then returns a CompletableFuture that goes on"),
            arrayOf(Job::class.java, "Job.run(): permits that are held until the call is done: a Deferred goes on"),
            arrayOf(
                OtherFallback::class.java,
                "fallback: 'other': it returns String, and the method it replaces returns Integer",
            ),
            arrayOf(Final::class.java, "cannot be overridden; in Kotlin, make it and its class open"),
        )
    }
}
