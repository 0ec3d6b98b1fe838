package dev.sluice.spring.method;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/** Finds variables, names, beans and properties in an expression that do not exist. */
final class ExpressionValidator {
    /** A part of the expression that looks into a variable of the caller, such as {@code #principal.name}. */
    private record Chain(String variable, int start, int end) {}

    private final CallExpression.Place place;
    private final Method method;
    private final List<String> parameters;
    private final List<String> known;
    private final BeanFactory beans;
    private final List<Chain> chains = new ArrayList<>();
    private @Nullable Chain whole;
    private boolean needsCaller;
    private boolean needsIp;

    ExpressionValidator(CallExpression.Place place, List<String> parameters, BeanFactory beans) {
        this.place = place;
        this.method = place.method();
        this.parameters = parameters;
        this.known = CallExpression.known(place, parameters);
        this.beans = beans;
    }

    boolean needsCaller() {
        return needsCaller;
    }

    boolean needsIp() {
        return needsIp;
    }

    /** Whether the whole expression looks into a variable of the caller for which this is true. */
    boolean isChainOn(Predicate<String> variable) {
        return whole != null && variable.test(whole.variable);
    }

    /** Whether the part at a position looks into a variable of the caller for which this is true. */
    boolean isInChainOn(int position, Predicate<String> variable) {
        return chains.stream()
                .anyMatch(each -> each.start <= position && position <= each.end && variable.test(each.variable));
    }

    void run(SpelNode root) {
        visit(root, true);
        if (root instanceof CompoundExpression && !chains.isEmpty()) {
            Chain first = chains.get(0);
            whole = first.start == root.getStartPosition() && first.end == root.getEndPosition() ? first : null;
        }
    }

    /** {@code ofCall}: whether a name without # is looked up in {@code #root}, and not in a value within the expression. */
    private void visit(SpelNode node, boolean ofCall) {
        if (node instanceof VariableReference variable) {
            requireKnown(variable);
        } else if (node instanceof PropertyOrFieldReference property && ofCall) {
            requireOfRoot(property.getName());
        } else if (node instanceof BeanReference bean) {
            bean(bean);
        } else if (node instanceof CompoundExpression chain) {
            chain(chain);
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            visit(node.getChild(i), ofCall && !hasOwnNames(node, i));
        }
    }

    /** Whether the names in a child are those of a value: of what stands before a dot, of an element, of a map. */
    private static boolean hasOwnNames(SpelNode node, int child) {
        return node instanceof Selection
                || node instanceof Projection
                || node instanceof Indexer
                || (node instanceof InlineMap && child % 2 == 0)
                || (node instanceof CompoundExpression
                        && child > 0
                        && node.getChild(child) instanceof PropertyOrFieldReference);
    }

    private void requireOfRoot(String name) {
        if (declared(CallExpression.Root.class, name) == null) {
            throw new IllegalArgumentException("there is no '" + name + "' without #; known are " + variables());
        }
    }

    /** The variables to name in a message, and why the parameters are not among them if they are not. */
    private String variables() {
        String names = known.stream()
                .filter(each -> !parameters.isEmpty() || !each.startsWith("a"))
                .filter(each -> parameters.isEmpty() || !each.matches("[ap]\\d+") || parameters.contains(each))
                .map(each -> "#" + each)
                .collect(Collectors.joining(", "));
        return parameters.isEmpty() && method.getParameterCount() > 0
                ? names + "; the names of parameters are not in the class file: compile with -parameters"
                : names;
    }

    private void requireKnown(VariableReference variable) {
        String name = name(variable);
        if (!known.contains(name)) {
            throw new IllegalArgumentException("there is no #" + name + "; known are " + variables());
        }
        needsIp |= !parameters.contains(name) && name.equals(CallExpression.IP);
        needsCaller |= isOfCaller(name);
    }

    private boolean isOfCaller(String name) {
        return !parameters.contains(name)
                && List.of(CallExpression.PRINCIPAL, CallExpression.REQUEST, CallExpression.IP)
                        .contains(name);
    }

    private static String name(VariableReference variable) {
        return variable.toStringAST().substring(1);
    }

    private void bean(BeanReference reference) {
        String name = reference.toStringAST().replaceAll("^[@&]+'?|'$", "");
        if (!beans.containsBean(name)) {
            throw new IllegalArgumentException("there is no bean named '" + name + "'");
        }
    }

    /** Follows {@code #user.address.city} as long as the types are known. */
    private void chain(CompoundExpression chain) {
        if (chain.getChild(0) instanceof VariableReference variable && isOfCaller(name(variable))) {
            chains.add(new Chain(name(variable), chain.getStartPosition(), chain.getEndPosition()));
        }
        Class<?> type = chain.getChild(0) instanceof VariableReference variable ? type(variable) : null;
        for (int i = 1; type != null && i < chain.getChildCount(); i++) {
            type = chain.getChild(i) instanceof PropertyOrFieldReference property
                    ? property(type, property.getName())
                    : null;
        }
    }

    private @Nullable Class<?> type(VariableReference variable) {
        String name = name(variable);
        if (name.equals(CallExpression.RESULT) && place.result() != null) {
            return place.result();
        }
        int index = parameters.indexOf(name);
        if (index < 0 && name.matches("[ap]\\d{1,3}")) {
            index = Integer.parseInt(name.substring(1));
        }
        return index < 0 || index >= method.getParameterCount() ? null : method.getParameterTypes()[index];
    }

    /** The type of a property; null if it cannot be known. */
    private static @Nullable Class<?> property(Class<?> type, String name) {
        Class<?> found = declared(type, name);
        boolean open = type.isInterface()
                || type.isArray()
                || type == Object.class
                || Modifier.isAbstract(type.getModifiers())
                || java.util.Map.class.isAssignableFrom(type);
        if (found == null && !open) {
            String names = Stream.of(BeanUtils.getPropertyDescriptors(type))
                    .map(java.beans.PropertyDescriptor::getName)
                    .filter(each -> !each.equals("class"))
                    .sorted()
                    .limit(12)
                    .collect(Collectors.joining(", "));
            throw new IllegalArgumentException("a " + type.getSimpleName() + " has no property '" + name + "'"
                    + (names.isEmpty() ? "" : "; it has " + names));
        }
        return found;
    }

    private static @Nullable Class<?> declared(Class<?> type, String name) {
        java.beans.PropertyDescriptor property = BeanUtils.getPropertyDescriptor(type, name);
        if (property != null && property.getReadMethod() != null) {
            return property.getPropertyType();
        }
        for (Method accessor : type.getMethods()) {
            if (accessor.getName().equals(name) && accessor.getParameterCount() == 0) {
                return accessor.getReturnType();
            }
        }
        return Stream.of(type.getFields())
                .filter(field -> field.getName().equals(name))
                .map(java.lang.reflect.Field::getType)
                .findFirst()
                .orElse(null);
    }
}
