package dev.sluice.spring.method;

import dev.sluice.spring.RuleRegistry;
import dev.sluice.spring.caller.CallerContext;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * An expression on the parameters of a call, checked as far as possible when it is parsed.
 *
 * <p>It has no value if it looks into the user or the web request of a call that has none, as in {@code #principal.name}
 * for somebody who is not logged in. Any other failure fails the call, and names the annotation.
 */
final class CallExpression {
    static final String PRINCIPAL = "principal";
    static final String REQUEST = "request";
    static final String RESULT = "result";
    static final String IP = "ip";
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
    private static final Set<SpelMessage> ON_NULL = Set.of(
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
            SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED,
            SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);
    private static final Object MISSING = new Object();

    /** The value of {@code #root}. */
    record Root(@Nullable Object target, Method method, List<@Nullable Object> args) {}

    /**
     * Where an expression is written.
     *
     * @param where the method with the annotation
     * @param attribute the attribute of the annotation
     * @param method the method whose parameters it can use
     * @param result the type of {@code #result}; null if there is no such variable
     */
    record Place(
            String where,
            String attribute,
            Method method,
            @Nullable Class<?> result) {}

    private final Place place;
    private final SpelExpression expression;
    private final BeanFactory factory;
    private final BeanFactoryResolver beans;
    private final ExpressionValidator known;

    private CallExpression(Place place, SpelExpression expression, BeanFactory beans, ExpressionValidator known) {
        this.place = place;
        this.expression = expression;
        this.factory = beans;
        this.beans = new BeanFactoryResolver(beans);
        this.known = known;
    }

    /**
     * Parses an expression.
     *
     * @throws IllegalArgumentException if it is wrong; the message says why
     */
    static CallExpression parse(String text, Place place, BeanFactory beans, @Nullable ClassLoader loader) {
        SpelExpression expression;
        try {
            SpelParserConfiguration configuration = new SpelParserConfiguration(SpelCompilerMode.MIXED, loader);
            expression = new SpelExpressionParser(configuration).parseRaw(text);
        } catch (ParseException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        ExpressionValidator known = new ExpressionValidator(place, parameters(place.method()), beans);
        known.run(expression.getAST());
        return new CallExpression(place, expression, beans, known);
    }

    /** The names of a method's parameters; empty if the class file has none. */
    static List<String> parameters(Method method) {
        String[] names = NAMES.getParameterNames(method);
        return names == null ? List.of() : List.of(names);
    }

    /** Whether it uses the web request or the user. */
    boolean needsCaller() {
        return known.needsCaller();
    }

    /** The value; null if it is null or if there is none. */
    @Nullable
    Object value(MethodInvocation call, CallerContext caller) {
        Object value = evaluate(call, caller, null);
        return value == MISSING ? null : value;
    }

    /** Whether it is true, before the call; {@code true} if it has no value. */
    boolean holdsBefore(MethodInvocation call, CallerContext caller) {
        return bool(evaluate(call, caller, null), true);
    }

    /** Whether it is true of what a call returned; {@code false} if it has no value. */
    boolean holdsAfter(MethodInvocation call, CallerContext caller, @Nullable Object result) {
        return bool(evaluate(call, caller, result), false);
    }

    private boolean bool(@Nullable Object value, boolean ifMissing) {
        if (value instanceof Boolean bool) {
            return bool;
        }
        if (value == MISSING) {
            return ifMissing;
        }
        throw failure("expected true or false, was " + value, null);
    }

    private @Nullable Object evaluate(MethodInvocation call, CallerContext caller, @Nullable Object result) {
        if (known.isChainOn(name -> variable(name, caller) == null)) {
            return MISSING;
        }
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(
                new Root(call.getThis(), place.method, Arrays.asList(call.getArguments())),
                place.method,
                call.getArguments(),
                NAMES);
        context.setBeanResolver(beans);
        if (known.needsCaller()) {
            context.setVariable(PRINCIPAL, caller.principal());
            context.setVariable(REQUEST, caller.request());
        }
        if (known.needsIp()) {
            context.setVariable(IP, ip(caller));
        }
        if (place.result != null) {
            context.setVariable(RESULT, result);
        }
        try {
            return expression.getValue(context);
        } catch (EvaluationException e) {
            if (e instanceof SpelEvaluationException onNull
                    && ON_NULL.contains(onNull.getMessageCode())
                    && known.isInChainOn(e.getPosition(), name -> variable(name, caller) == null)) {
                return MISSING;
            }
            throw failure(String.valueOf(e.getMessage()), e);
        }
    }

    private @Nullable Object variable(String name, CallerContext caller) {
        return switch (name) {
            case PRINCIPAL -> caller.principal();
            case IP -> ip(caller);
            default -> caller.request();
        };
    }

    private @Nullable String ip(CallerContext caller) {
        return caller.ip(factory.getBean(RuleRegistry.class).web());
    }

    /** The exception for a call in which the expression cannot be used. */
    IllegalStateException failure(String reason, @Nullable Throwable cause) {
        return new IllegalStateException(
                "@RateLimit on " + place.where + ": " + place.attribute + ": '" + expression.getExpressionString()
                        + "': " + reason,
                cause);
    }

    /** The variables that an expression can use. */
    static List<String> known(Place place, List<String> parameters) {
        List<String> known = new ArrayList<>(parameters);
        for (int i = 0; i < place.method.getParameterCount(); i++) {
            known.add("p" + i);
            known.add("a" + i);
        }
        if (place.result != null) {
            known.add(RESULT);
        }
        known.addAll(List.of(PRINCIPAL, REQUEST, IP, "root", "this"));
        return known;
    }
}
