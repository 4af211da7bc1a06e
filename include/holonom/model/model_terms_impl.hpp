// The mapped terms of ModelSystem: formulas applied to the rows of a table, or to all items of a vector.
#pragma once

#include "holonom/expr/decimal.hpp"
#include "holonom/model/model_system.hpp"

namespace holonom {

template <class S>
void ModelSystem<S>::make_terms() {
  const Model& model = compiled_->model();
  auto invariant = static_cast<int>(model.invariants.size()), observable = static_cast<int>(model.observables.size());
  for (std::size_t k = 0; k < model.terms.size(); ++k) {
    const MappedTerm& source = model.terms[k];
    Term& term = terms_.emplace_back();
    term.source = &source;
    term.place = compiled_->stacks()[k];
    for (const MappedTerm::Gather& gather : source.gathers) term.index.push_back(gather.first.data());
    for (const MappedTerm::RowValue& value : source.values) {
      Vec<S>& numbers = term.row_values.emplace_back(source.rows);
      for (int row = 0; row < source.rows; ++row)
        numbers[row] = value.text.empty() ? S(value.integer[static_cast<std::size_t>(row)])
                                          : decimal_number<S>(value.text[static_cast<std::size_t>(row)]);
    }
    switch (source.role) {
      case MappedTerm::Role::energy:
        for (const Formula f : {Formula::V, Formula::V_q}) prepare(term, f);
        break;
      case MappedTerm::Role::constraint:
        for (const Formula f : {Formula::g, Formula::G, Formula::g_and_G, Formula::g_scale}) prepare(term, f);
        break;
      case MappedTerm::Role::invariant:
        term.invariant = invariant++;
        prepare(term, Formula::invariants);
        break;
      case MappedTerm::Role::event: prepare(term, Formula::events); break;
      case MappedTerm::Role::observable:
        term.observable = observable++;
        prepare(term, Formula::observables);
        break;
    }
  }
}

template <class S>
void ModelSystem<S>::prepare(Term& term, Formula f) const {
  auto& ready = term.ready[static_cast<std::size_t>(f)];
  if (ready.apply) return;
  MapProgram program = compiled_->map_program(*term.source, f);
  ready.in.resize(program.sources.size());
  ready.out.resize(program.signature.outputs.size());
  ready.sources = std::move(program.sources);
  ready.apply = MapInterpreter<S>(std::move(program.kernel), std::move(program.signature));
}

template <class S>
template <class Outputs>
void ModelSystem<S>::map(MappedTerm::Role role, Formula f, const Inputs& in, Outputs&& outputs, Part part) const {
  for (Term& term : terms_) {
    if (term.source->role != role) continue;
    if (part != Part::all && term.source->fast != (part == Part::fast)) continue;
    prepare(term, f);
    auto& ready = term.ready[static_cast<std::size_t>(f)];
    std::size_t value = 0;
    for (std::size_t b = 0; b < ready.sources.size(); ++b) {
      switch (ready.sources[b]) {
        case MapProgram::Source::q: ready.in[b] = in.q; break;
        case MapProgram::Source::p: ready.in[b] = in.p; break;
        case MapProgram::Source::u: ready.in[b] = in.u; break;
        case MapProgram::Source::v: ready.in[b] = in.v; break;
        case MapProgram::Source::w: ready.in[b] = in.w; break;
        case MapProgram::Source::lambda: ready.in[b] = in.lambda + term.place.constraint; break;
        case MapProgram::Source::row_value: ready.in[b] = term.row_values[value++].data(); break;
        case MapProgram::Source::velocity: ready.in[b] = in.velocity; break;
        case MapProgram::Source::multipliers: ready.in[b] = in.lambda; break;
        case MapProgram::Source::energies: ready.in[b] = in.energies; break;
      }
    }
    std::vector<S*>& out = ready.out;
    for (std::size_t b = 0; b < out.size(); ++b) out[b] = outputs(term, b);
    if constexpr (std::is_same_v<S, double>) {
      if (native_) {
        const auto k = static_cast<std::size_t>(&term - terms_.data());
        if (const NativeMap& formula = native_->maps[k][static_cast<std::size_t>(f)]) {
          formula.function()(0, term.source->rows, ready.in.data(), term.index.data(), out.data());
          continue;
        }
      }
    }
    ready.apply(0, term.source->rows, ready.in.data(), term.index.data(), out.data());
  }
}

template <class S>
void ModelSystem<S>::replace_table(std::size_t k, const std::vector<std::vector<std::int32_t>>& first_coordinates) {
  Term& term = terms_.at(k);
  if (term.source->role != MappedTerm::Role::energy || first_coordinates.size() != term.index.size() ||
      !term.row_values.empty())
    throw std::invalid_argument(
        "only the table of a sum of the energy without row values can be replaced, column by column");
  const std::size_t rows = first_coordinates.front().size();
  for (std::size_t g = 0; g < first_coordinates.size(); ++g) {
    const auto last =
        static_cast<std::int32_t>(this->n()) - static_cast<std::int32_t>(term.source->gathers[g].x.size());
    if (first_coordinates[g].size() != rows) throw std::invalid_argument("the columns of a table must have one length");
    for (const std::int32_t i : first_coordinates[g])
      if (i < 0 || i > last) throw std::invalid_argument("a table refers to a coordinate that does not exist");
  }
  auto replaced = std::make_shared<MappedTerm>(*term.source);
  replaced->rows = static_cast<int>(rows);
  for (std::size_t g = 0; g < first_coordinates.size(); ++g) {
    replaced->gathers[g].first = first_coordinates[g];
    term.index[g] = replaced->gathers[g].first.data();
  }
  term.source = replaced.get();
  term.own = std::move(replaced);
}

template <class S>
Vec<S> ModelSystem<S>::evaluate_items(const VectorCoordinate& v, const std::vector<NodeId>& formula) const {
  Vec<S> items(v.count), out(v.count * static_cast<int>(formula.size()));
  for (int i = 0; i < v.count; ++i) items[i] = S(i);
  const std::vector<Program::Block> inputs{{v.item}}, outputs{formula};
  MapSignature signature;
  signature.inputs = {MapInput::per_row(1)};
  signature.outputs = {MapOutput::stored(static_cast<std::uint32_t>(formula.size()))};
  MapInterpreter<S> evaluate(std::make_shared<Program>(*compiled_->model().graph, inputs, outputs), signature);
  const S* in = items.data();
  S* result = out.data();
  evaluate(0, v.count, &in, nullptr, &result);
  return out;
}

}  // namespace holonom
