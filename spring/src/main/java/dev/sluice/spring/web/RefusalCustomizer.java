package dev.sluice.spring.web;

/**
 * A bean that changes how denied requests are answered, wherever the denial comes from: a filter, an annotation, a
 * functional route or Spring Cloud Gateway. Several such beans apply one after the other, in their order.
 *
 * <pre>{@code
 * @Bean
 * RefusalCustomizer pageForBrowsers() {
 *     return (refusal, request) -> request.prefers(MediaType.TEXT_HTML)
 *             ? refusal.withBody(MediaType.TEXT_HTML, "<h1>Slow down</h1>")
 *             : refusal;
 * }
 * }</pre>
 *
 * <p>It is called once for each denied request, and on WebFlux on an event loop, so it must not block. If it throws or
 * returns null, the request gets the refusal as it was before the call, and the log says why.
 */
@FunctionalInterface
public interface RefusalCustomizer {
    /**
     * The refusal to answer with.
     *
     * @param refusal the refusal so far; the first customizer gets a 429 with {@code application/problem+json}
     * @param request the request that was denied, and why
     */
    Refusal customize(Refusal refusal, RefusedRequest request);
}
