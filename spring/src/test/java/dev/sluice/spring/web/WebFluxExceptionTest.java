package dev.sluice.spring.web;

import dev.sluice.spring.web.ExceptionApp.Service;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.reactive.config.BlockingExecutionConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

class WebFluxExceptionTest extends ExceptionContract {
    WebFluxExceptionTest() {
        super(WebApplicationType.REACTIVE, ExceptionApp.class, Flux.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class Flux {
        @Bean
        SecurityWebFilterChain open(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }

        /** Handler methods that return a value call the limited service, which may have to wait. */
        @Bean
        WebFluxConfigurer blocking() {
            return new WebFluxConfigurer() {
                @Override
                public void configureBlockingExecution(BlockingExecutionConfigurer configurer) {
                    configurer.setExecutor(new SimpleAsyncTaskExecutor("blocking-"));
                }
            };
        }

        @Bean
        RouterFunction<ServerResponse> routes(Service service) {
            return RouterFunctions.route()
                    .GET(
                            "/function",
                            request -> Mono.defer(() -> ServerResponse.ok().bodyValue(service.once(key(request))))
                                    .subscribeOn(Schedulers.boundedElastic()))
                    .GET(
                            "/function-later",
                            request -> Mono.fromCallable(() -> service.once(key(request)))
                                    .subscribeOn(Schedulers.boundedElastic())
                                    .flatMap(ServerResponse.ok()::bodyValue))
                    .build();
        }

        private static String key(ServerRequest request) {
            return request.queryParam("key").orElseThrow();
        }

        @Bean
        WebFilter limited(Service service) {
            return (exchange, chain) -> filter(service, exchange, chain);
        }

        private static Mono<Void> filter(Service service, ServerWebExchange exchange, WebFilterChain chain) {
            String key = exchange.getRequest().getQueryParams().getFirst("key");
            if (key == null || !exchange.getRequest().getURI().getPath().equals("/filter")) {
                return chain.filter(exchange);
            }
            return Mono.defer(() -> {
                        byte[] body = service.once(key).getBytes(StandardCharsets.UTF_8);
                        ServerHttpResponse response = exchange.getResponse();
                        return response.writeWith(
                                Mono.just(response.bufferFactory().wrap(body)));
                    })
                    .subscribeOn(Schedulers.boundedElastic());
        }
    }
}
