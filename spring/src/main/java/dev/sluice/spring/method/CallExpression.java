package dev.sluice.spring.method;

import dev.sluice.spring.web.CallerContext;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** An expression on the parameters of a call, checked as far as possible when it is parsed. */
final class CallExpression {
    static final String PRINCIPAL = "principal";
    static final String REQUEST = "request";
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    /** The value of {@code #root}. */
    record Root(@Nullable Object target, Method method, List<@Nullable Object> args) {}

    private final Method method;
    private final SpelExpression expression;
    private final BeanFactoryResolver beans;
    private final boolean needsCaller;

    private CallExpression(Method method, SpelExpression expression, BeanFactory beans, boolean needsCaller) {
        this.method = method;
        this.expression = expression;
        this.beans = new BeanFactoryResolver(beans);
        this.needsCaller = needsCaller;
    }

    /**
     * Parses an expression.
     *
     * @throws IllegalArgumentException if it is wrong; the message says why
     */
    static CallExpression parse(String text, Method method, BeanFactory beans, @Nullable ClassLoader loader) {
        SpelExpression expression;
        try {
            SpelParserConfiguration configuration = new SpelParserConfiguration(SpelCompilerMode.MIXED, loader);
            expression = new SpelExpressionParser(configuration).parseRaw(text);
        } catch (ParseException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        List<String> parameters = parameters(method);
        ExpressionValidator check = new ExpressionValidator(method, parameters, beans);
        check.run(expression.getAST());
        return new CallExpression(method, expression, beans, check.needsCaller());
    }

    /** The names of a method's parameters; empty if the class file has none. */
    static List<String> parameters(Method method) {
        String[] names = NAMES.getParameterNames(method);
        return names == null ? List.of() : List.of(names);
    }

    /** Whether it uses the web request or the user. */
    boolean needsCaller() {
        return needsCaller;
    }

    @Nullable
    Object value(MethodInvocation call, CallerContext caller) {
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(
                new Root(call.getThis(), method, Arrays.asList(call.getArguments())),
                method,
                call.getArguments(),
                NAMES);
        context.setBeanResolver(beans);
        if (needsCaller) {
            context.setVariable(PRINCIPAL, caller.principal());
            context.setVariable(REQUEST, caller.request());
        }
        return expression.getValue(context);
    }

    /** The variables that an expression on {@code method} can use. */
    static List<String> known(Method method, List<String> parameters) {
        List<String> known = new ArrayList<>(parameters);
        for (int i = 0; i < method.getParameterCount(); i++) {
            known.add("p" + i);
            known.add("a" + i);
        }
        known.addAll(List.of(PRINCIPAL, REQUEST, "root", "this"));
        return known;
    }
}
